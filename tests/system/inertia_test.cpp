// Models whose L_vv is singular while the constraints make up for it. Numbers at line ends: measured.
#include "system/mechanical/inertia.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "linalg/decompositions.hpp"
#include "method/runge_kutta/rk_families.hpp"
#include "method/runge_kutta/runge_kutta.hpp"
#include "rattleback/error.hpp"
#include "support/properties.hpp"
#include "system/start/start.hpp"

namespace rattleback::testing {
namespace {

// A rigid body about its fixed centre of mass, in a field that turns it: a quaternion and nothing else. `mass` scales all
// moments, `unit` the constraint.
Model body(const std::string& mass = "1", const std::string& unit = "1") {
  return parse_model(R"toml(
name = "body"
coordinates = ["e0", "e1", "e2", "e3"]
[parameters]
mass = )toml" + mass +
                         "\nunit = " + unit + R"toml(
[define]
w1 = "2*(-e1*e0' + e0*e1' + e3*e2' - e2*e3')"
w2 = "2*(-e2*e0' - e3*e1' + e0*e2' + e1*e3')"
w3 = "2*(-e3*e0' + e2*e1' - e1*e2' + e0*e3')"
[lagrangian]
kinetic = "mass*(w1^2 + 2*w2^2 + 3*w3^2)/2"
potential = "mass*(e1*e2 - e0*e3 + e2^2)"
[constraints.holonomic]
length = "unit*(e0^2 + e1^2 + e2^2 + e3^2 - 1)"
[initial]
e0 = 0.5
e1 = 0.5
e2 = 0.5
e3 = 0.5
"e0'" = -0.9
"e1'" = 0.2
"e2'" = 0.3
"e3'" = 0.4
)toml",
                     "body.toml");
}

double largest(std::span<const double> a, std::span<const double> b) {
  double d = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) d = std::fmax(d, std::fabs(a[i] - b[i]));
  return d;
}

TEST(AddedInertia, IsThereForAQuaternionAndNamesIt) {
  const Model model = body();
  const Mechanical f(model);
  ASSERT_EQ(f.added.c.size(), 1u);
  EXPECT_EQ(f.added.without_inertia, (std::vector<std::string>{"e0", "e1", "e2", "e3"}));
  // K = 2 e, every L_vv_ii = 4 (1 + 2 + 3)/4: c = 6/4.
  EXPECT_NEAR(f.added.c[0], 1.5, 1e-14);
}

TEST(AddedInertia, HasTheUnitsOfTheMassAndOfTheConstraint) {
  const double c = Mechanical(body()).added.c.at(0);
  EXPECT_NEAR(Mechanical(body("1e-6")).added.c.at(0), 1e-6 * c, 1e-20);
  EXPECT_NEAR(Mechanical(body("1", "1e4")).added.c.at(0), 1e-8 * c, 1e-22);
}

// At e = (1, 0, 0, 0) the coordinate without inertia has a zero on the diagonal of L_vv.
TEST(AddedInertia, FindsASizeWhereACoordinateHasNoInertiaAtTheStart) {
  const Model top = shipped("heavy-top");
  const Mechanical f(top);
  ASSERT_EQ(f.added.c.size(), 4u);
  EXPECT_EQ(f.added.without_inertia, std::vector<std::string>{"e0"});
  // Largest moment 4*I2 = 1.875. unit: K = (2 e0), c = 1.875/4. arm: K = (1, 2), 1/c = 1/15 + 4/1.875; arm_z has e1.
  EXPECT_NEAR(f.added.c[3], 1.875 / 4, 1e-14);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(1.0 / f.added.c[static_cast<std::size_t>(i)], 1.0 / 15 + 4 / 1.875, 1e-14);
}

TEST(AddedInertia, LeavesSmallMassesAlone) {
  const auto masses = [](const std::string& kinetic) {
    return parse_model("coordinates = [\"x\", \"y\"]\n[lagrangian]\nkinetic = \"" + kinetic +
                           "\"\n[constraints.holonomic]\nline = \"y - x^2\"\n",
                       "two.toml");
  };
  EXPECT_TRUE(Mechanical(masses("(x'^2 + 1e-12*y'^2)/2")).added.c.empty());
  EXPECT_TRUE(Mechanical(masses("((1 + x^2)*x'^2 + 1e-12*y'^2)/2")).added.c.empty());   // depends on the position
  EXPECT_TRUE(Mechanical(masses("((1 + x^2)*x'^2 + 1e-200*y'^2)/2")).added.c.empty());  // regular, if only just
  EXPECT_FALSE(Mechanical(masses("x'^2/2")).added.c.empty());                           // constant and singular
  EXPECT_FALSE(Mechanical(masses("(1 + x^2)*x'^2/2")).added.c.empty());
  EXPECT_TRUE(Mechanical(masses("x^2*x'^2/2")).added.c.empty());  // the constraint does not help: refused
}

TEST(AddedInertia, ChangesNeitherTheMotionNorItsMultipliers) {
  for (const Model& model : {body(), shipped("heavy-top"), shipped("ball-on-turntable")}) {
    const Mechanical with(model), without(model, false);
    ASSERT_FALSE(with.added.c.empty());
    ASSERT_TRUE(without.added.c.empty());
    Acceleration a(with), b(without);
    Motion motion(model, method("ode"));
    for (int k = 0; k < 5; ++k) {
      motion.advance(0.01, 1);
      std::vector<double> q(motion.stepper->q().begin(), motion.stepper->q().end());
      std::vector<double> v(motion.stepper->v().begin(), motion.stepper->v().end());
      ASSERT_TRUE(project_start(motion.system, q, v));
      ASSERT_TRUE(a.solve(motion.stepper->t(), q, v));
      ASSERT_TRUE(b.solve(motion.stepper->t(), q, v));
      double size = 1.0;
      for (const double x : b.acceleration()) size = std::fmax(size, std::fabs(x));
      EXPECT_LT(largest(a.acceleration(), b.acceleration()), 1e-12 * size);  // 2e-15
      EXPECT_LT(largest(a.multipliers(), b.multipliers()), 1e-12 * size);    // 3e-15
    }
  }
}

// The simpler matrix of large stage systems needs L_vv to be regular by itself; without the term some steps cannot be
// solved at all.
TEST(AddedInertia, MakesTheMatricesOfTheStepRegular) {
  const Model model = body();
  const auto smallest = [&](bool add) {
    const Mechanical f(model, add);
    std::vector<NodeId> nodes;
    for (const auto& row : f.Lvv) nodes.insert(nodes.end(), row.begin(), row.end());
    Evaluator e(f.graph, nodes, f.n, f.m);
    return linalg::symmetric_eigen(Eigen::Map<const Eigen::MatrixXd>(e(0.0, model.q0, model.v0).data(), 4, 4))
        .values(0);
  };
  EXPECT_LT(std::fabs(smallest(false)), 1e-14);
  EXPECT_GT(smallest(true), 1.0);  // 4, the smallest moment of inertia; the radial direction has 6
  const auto solves = [&](const Scheme& scheme, bool add) {
    const Plan plan(runge_kutta_step(Mechanical(model, add), scheme));
    std::vector<double> w = plan.image();
    const auto put = [&](Space space, std::span<const double> x) {
      std::copy(x.begin(), x.end(), w.begin() + plan.slot(space));
    };
    const double h = 1e-3;
    put(kStepSize, std::span(&h, 1));
    put(kPosition, model.q0);
    put(kVelocity, model.v0);
    plan.guess(w.data());
    return plan.solve(w.data(), Sizes{.typical = {1.0, 1.0 / h}}, {});
  };
  EXPECT_TRUE(solves(spark_lobatto_ab(2), true).ok);
  EXPECT_FALSE(solves(spark_lobatto_ab(2), false).ok);
  EXPECT_TRUE(solves(rk_lobatto_iiic(3), true).ok);
  EXPECT_FALSE(solves(rk_lobatto_iiic(3), false).ok);
  EXPECT_LT(solves(spark_gauss(2), true).correction, 1e-13);   // 6e-15
  EXPECT_GT(solves(spark_gauss(2), false).correction, 1e-12);  // 1e-10: the matrix is so bad that digits are lost
}

TEST(AddedInertia, IsReported) {
  const Model model = body();
  const CheckReport report = check(model);
  EXPECT_FALSE(report.mass_positive_definite);
  EXPECT_TRUE(report.saddle_regular);
  const std::string note =
      "the Lagrangian gives no inertia to a motion of e0, e1, e2, e3 that the constraints forbid (L_vv is singular), "
      "so "
      "(c/2)|k|^2 was added to it, k being the constraints at velocity level, c between 1.5 and 1.5: no motion "
      "changes, "
      "and the energy is reported without it";
  EXPECT_NE(std::find(report.notes.begin(), report.notes.end(), note), report.notes.end());
  const Trajectory run = simulate(model, {.method = "spark-gauss", .step = 0.01, .steps = 1, .formulation = "index2"});
  EXPECT_NE(std::find(run.notes.begin(), run.notes.end(), note), run.notes.end());
  // T = (0.9^2 ...)/2 as written.
  System system(model);
  EXPECT_DOUBLE_EQ(run.energy->initial, system.observe(0.0, model.q0, model.v0).energy);
}

}  // namespace
}  // namespace rattleback::testing
