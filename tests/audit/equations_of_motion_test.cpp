// Multipliers against a pivoted solve in long double, and the audit that sees wrong ones. Numbers at line ends: measured.
#include "audit/equations_of_motion.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "linalg/condition.hpp"
#include "rattleback/simulate.hpp"
#include "support/cases.hpp"
#include "support/long_mechanics.hpp"
#include "support/mechanisms.hpp"

namespace rattleback::testing {
namespace {

Trajectory some_steps(const Model& model, const std::string& method = "") {
  Options options{.method = method, .steps = 4, .native = "off"};
  if (!model.run.step) options.step = 1e-3;
  return simulate(model, options);
}

// Largest difference of the reported multipliers to long double, relative to the largest one.
double multiplier_error(const Model& model, const Trajectory& run) {
  const auto right = LongMechanics(model).motion(run.t, widened(run.q), widened(run.v)).multipliers;
  Real worst = 0, largest = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    worst = std::fmax(worst, std::fabs(right[i] - static_cast<Real>(run.multipliers[i])));
    largest = std::fmax(largest, std::fabs(right[i]));
  }
  return worst > 0 ? static_cast<double>(worst / largest) : 0.0;
}

TEST(EquationsOfMotion, GiveTheMultipliersOfEveryMechanismToLongDouble) {
  for (const Rotation rotation : {Rotation::quaternion, Rotation::directors})
    for (const Mechanism& mechanism : spatial_mechanisms(rotation)) {
      if (mechanism.redundant) continue;
      SCOPED_TRACE(mechanism.name + ", " + to_string(rotation));
      const Model model = parse_model(mechanism.text, "mechanism.toml", {.unroll_below = kLargestFamily});
      const Trajectory run = some_steps(model);
      ASSERT_EQ(run.status, Status::done) << run.message;
      EXPECT_LT(multiplier_error(model, run), 1e-9);
      ASSERT_TRUE(run.equations);
      EXPECT_LT(run.equations->residual, 1e-12);
    }
}

TEST(EquationsOfMotion, GiveTheMultipliersOfEveryShippedSystemToLongDouble) {
  int seen = 0;
  for (const ShippedModel& shipped : shipped_models()) {
    const Model model = load_model(std::string(shipped.key), {.unroll_below = kLargestFamily});
    if (model.kind != Kind::mechanical || model.multiplier_count() == 0 || model.coordinates.size() > 100) continue;
    SCOPED_TRACE(shipped.key);
    const Trajectory run = some_steps(model);
    ASSERT_EQ(run.status, Status::done) << run.message;
    if (!run.equations) continue;  // a mass of 0: the multipliers are those of the last stage, and a note says so
    ++seen;
    EXPECT_LT(multiplier_error(model, run), 1e-9);
    EXPECT_LT(run.equations->residual, 1e-12);
    for (const std::string& note : run.notes) EXPECT_EQ(note.find("badly determined"), std::string::npos) << note;
  }
  EXPECT_GT(seen, 10);
}

// A multiplier that is wrong by a millionth is seen, wherever it stands.
TEST(EquationsOfMotion, ShowAWrongMultiplier) {
  const Model model = load_model(case_file("slider-loop"));
  const System system(model);
  const auto level = system.acceleration();
  level->set_guess(std::vector<double>(static_cast<std::size_t>(system.m()), 0.0));
  ASSERT_TRUE(level->solve(0.0, model.q0, model.v0));
  const std::vector<double> right(level->multipliers().begin(), level->multipliers().end());
  for (std::size_t i = 0; i < right.size(); ++i) {
    std::vector<double> wrong = right;
    wrong[i] += 1e-6 * 3.0;  // the largest is 3
    EquationsOfMotion equations(system);
    equations.look(0.0, model.q0, model.v0, wrong, level->acceleration());
    EXPECT_GT(equations.audit()->residual, 1e-8) << i;
    EXPECT_FALSE(equations_warning(*equations.audit()).empty());
  }
}

// Two rods that are nearly parallel: x is held twice, at an angle d. [L_vv K^T; K 0] has a condition of 4/d^2.
TEST(EquationsOfMotion, SayWhenMultipliersAreBadlyDetermined) {
  const auto model = [](const std::string& d) {
    return parse_model(R"toml(coordinates = ["x", "y"]
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
potential = "x + 2*y"
[constraints.holonomic]
a = "x"
b = "x + d*y"
[parameters]
d = )toml" + d + "\n",
                       "rods.toml");
  };
  const Trajectory good = simulate(model("1e-3"), {.method = "rattle", .step = 0.1, .steps = 2});
  EXPECT_NEAR(good.equations->condition, 4e6, 1e4);
  EXPECT_TRUE(equations_warning(*good.equations).empty());
  const EquationsAudit bad{.residual = 1e-16, .condition = 1e13};
  EXPECT_NE(equations_warning(bad).find("badly determined"), std::string::npos) << equations_warning(bad);
}

TEST(Condition, IsThatOfTheSingularValuesWhateverTheScales) {
  Eigen::MatrixXd A(3, 3);
  A << 2, 1, 0, 1, 3, 1, 0, 1, 4;
  const double before = condition(A);
  EXPECT_NEAR(before, 3.7320508, 1e-6);  // eigenvalues 3 - sqrt(3), 3, 3 + sqrt(3)
  Eigen::MatrixXd B = Eigen::Vector3d(1e6, 1, 1e-4).asDiagonal() * A * Eigen::Vector3d(1, 1e3, 1e-5).asDiagonal();
  EXPECT_GT(condition(B), 1e6);
  equilibrate(B);
  EXPECT_LT(condition(B), 12.0);  // 10.05
  EXPECT_TRUE(std::isinf(condition(Eigen::MatrixXd::Zero(2, 2))));
}

// The tridiagonal matrix with 2 and -1 has the condition cot^2(pi/(2 (n + 1))).
TEST(Condition, IsEstimatedForLargeMatrices) {
  for (const int n : {60, 150}) {
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
    std::vector<Cell> cells;
    for (int i = 0; i < n; ++i)
      for (int j = std::max(0, i - 1); j < std::min(n, i + 2); ++j) {
        A(i, j) = i == j ? 2.0 : -1.0;
        cells.push_back({i, j, A(i, j)});
      }
    const double t = std::tan(std::acos(-1.0) / (2.0 * (n + 1))), right = 1.0 / (t * t);
    EXPECT_NEAR(condition(A) / right, 1.0, 0.02) << n;
    equilibrate(n, cells);
    EXPECT_NEAR(sparse_condition(n, cells) / right, 1.0, 0.02) << n;
  }
}

TEST(EquationsOfMotion, OfALargeSystemAgreeWithThoseOfItsSingleCoordinates) {
  const std::string text = R"toml(coordinates = ["x[1:30]", "y[1:30]"]
[lagrangian]
kinetic = "sum(i = 1:30, (x[i]'^2 + y[i]'^2)/2)"
potential = "sum(i = 1:30, 9.81*y[i])"
[constraints.holonomic]
"rod[i=2:30]" = "((x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - 1)/2"
first = "(x[1]^2 + y[1]^2 - 1)/2"
[initial]
"x[i=1:30]" = "0.6*i"
"y[i=1:30]" = "-0.8*i"
)toml";
  const Trajectory a = simulate(parse_model(text, "chain.toml", {.unroll_below = 1}), {.step = 1e-3, .steps = 3});
  ASSERT_TRUE(a.equations);
  EXPECT_LT(a.equations->residual, 1e-13);
  EXPECT_GT(a.equations->condition, 100.0);
  EXPECT_LT(a.equations->condition, 1e6);
}

// At rest with no force every term is 0 but for rounding, which says nothing about the multipliers.
TEST(EquationsOfMotion, AtRestAreNotJudgedByRoundingAlone) {
  const Model model = parse_model(R"toml(coordinates = ["x", "y", "theta", "a"]
[lagrangian]
kinetic = "(x'^2 + y'^2 + theta'^2 + a'^2)/2 + 0.1*theta'*(cos(theta)*y' - sin(theta)*x')"
[constraints.nonholonomic]
n = "cos(theta)*y' - sin(theta)*x'"
w = "cos(theta)*x' + sin(theta)*y' - 0.1*theta' - 0.3*a'"
[forces]
a = "t"
)toml",
                                  "chute.toml");
  for (const std::int64_t steps : {1, 2, 3, 10}) {
    const Trajectory run = simulate(model, {.step = 0.01, .steps = steps});
    ASSERT_TRUE(run.equations);
    EXPECT_LT(run.equations->residual, 1e-14) << steps;  // 1.1 before
  }
}

}  // namespace
}  // namespace rattleback::testing
