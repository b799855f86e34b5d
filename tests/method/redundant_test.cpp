// Redundant constraints: refused by name, or on request integrated with a subset of full rank, chosen anew at each step,
// and multipliers of least norm. Numbers at line ends: measured.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "method/registry.hpp"
#include "rattleback/analysis.hpp"
#include "rattleback/error.hpp"
#include "rattleback/simulate.hpp"
#include "support/cases.hpp"
#include "support/long_mechanics.hpp"
#include "support/rolling_ball.hpp"
#include "system/mechanical/redundancy.hpp"
#include "system/start/start.hpp"

namespace rattleback {
namespace {

using testing::LongMechanics;
using testing::Real;
using testing::Reals;

// A swinging parallelogram: two arms and a bar hold it; `level` and `slide` follow from them.
Model frame(const std::string& more_holonomic, const std::string& more = "", const std::string& potential = "") {
  return parse_model(R"toml(
name = "frame"
coordinates = ["x1", "y1", "x2", "y2"]
[lagrangian]
kinetic = "(2*x1'^2 + 2*y1'^2 + x2'^2 + y2'^2)/2"
potential = "9.81*(2*y1 + y2))toml" +
                         potential + R"toml("
[constraints.holonomic]
left = "x1^2 + y1^2 - 1"
)toml" + more_holonomic + R"toml(
right = "(x2 - 2)^2 + y2^2 - 1"
bar   = "(x2 - x1)^2 + (y2 - y1)^2 - 4"
)toml" + more + R"toml(
[initial]
x1 = 0.6
y1 = -0.8
x2 = 2.6
y2 = -0.8
"x1'" = 0.8
"y1'" = 0.6
"x2'" = 0.8
"y2'" = 0.6
)toml",
                     "frame.toml");
}

// A ball that rolls in a bowl, with one rolling condition too many everywhere: n . roll is the bowl's velocity level.
Model bowl() { return load_model(testing::case_file("bowl-natural"), {.start = {{"x", "0.001"}, {"y'", "6"}}}); }
Reals centre_of_the_ball(Real until) { return testing::centre_of_the_ball(0.001L, 6.0L, 5.0L, until, 4000); }

const Options kRun = {.method = "spark-gauss", .stages = 3, .step = 0.02, .until = 1.0, .formulation = "ggl"};
Options minimum_norm(Options o = kRun) {
  o.redundant = "minimum-norm";
  return o;
}

struct Outcome {
  Trajectory trajectory;
  std::string message;
};
Outcome run(const Model& model, const Options& options) {
  try {
    Trajectory t = simulate(model, options);
    std::string message = t.status == Status::done ? "it ran" : t.message;
    return {std::move(t), std::move(message)};
  } catch (const Error& error) {
    return {{}, error.what()};
  }
}
std::string message_of(const Model& model, const Options& options) { return run(model, options).message; }

double distance(std::span<const double> a, std::span<const double> b) {
  double d = 0.0;
  for (std::size_t i = 0; i < b.size(); ++i) d = std::fmax(d, std::fabs(a[i] - b[i]));
  return d;
}

// The largest difference to the multipliers of least norm that another solver finds at the printed state, relative.
double multiplier_error(const Model& model, const Trajectory& t) {
  LongMechanics exact(model);
  const Reals expected = exact.motion(t.t, testing::widened(t.q), testing::widened(t.v)).multipliers;
  Real error = 0, size = 1e-300L;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    error = std::max(error, std::fabs(expected[i] - t.multipliers[i]));
    size = std::max(size, std::fabs(expected[i]));
  }
  return static_cast<double>(error / size);
}

TEST(Redundant, ConstraintsAreRefusedByNameWithAdvice) {
  EXPECT_EQ(message_of(frame("", "level = \"y2 - y1\""), kRun),
            "constraints are dependent at the start: rank 3 of 4, 'level' follows from the others. Remove what is "
            "redundant, start where the constraints are independent, or pass --redundant minimum-norm");
}

// The motion is that of the system without them, and the reaction is the same; only its distribution is another one.
TEST(Redundant, ConstraintsDoNotChangeTheMotion) {
  const Trajectory plain = simulate(frame(""), kRun);
  const Model redundant = frame("again = \"sqrt(x1^2 + y1^2) - 1\"",
                                "level = \"y2 - y1\"\n[constraints.nonholonomic]\n"
                                "slide = \"x2' - x1'\"");
  const Trajectory run = simulate(redundant, minimum_norm());
  ASSERT_EQ(run.status, Status::done) << run.message;
  EXPECT_LT(distance(run.q, plain.q), 1e-12);  // 4e-16
  EXPECT_LT(distance(run.v, plain.v), 1e-12);
  EXPECT_LT(*run.constraint_velocity, 1e-11);  // all six constraints are watched
  ASSERT_EQ(run.multipliers.size(), 6u);
  ASSERT_EQ(run.records.multipliers.size(), 6u * run.records.rows);
  ASSERT_TRUE(run.redundant.has_value());
  EXPECT_EQ(run.redundant->rank, 3);
  EXPECT_EQ(run.redundant->rows, 6);
  EXPECT_EQ(run.redundant->dropped.size(), 3u);
  EXPECT_LT(multiplier_error(redundant, run), 1e-10);  // 2e-14
  // `left` and `again` have parallel rows, 2 (x1, y1) and (x1, y1): minimum norm shares the force as 2 : 1.
  EXPECT_NEAR(run.multipliers[0], 2.0 * run.multipliers[1], 1e-10);
}

TEST(Redundant, ConstraintsThatAreWrittenTwiceShareTheirMultiplierInHalves) {
  const Model once = frame("");
  const Model twice = frame("left2 = \"x1^2 + y1^2 - 1\"",
                            "right2 = \"(x2 - 2)^2 + y2^2 - 1\"\nbar2 = \"(x2 - x1)^2 + (y2 - y1)^2 - 4\"");
  Options index2 = kRun;  // they follow everywhere, so drift does no harm
  index2.formulation = "index2";
  for (const Options& options : {kRun, index2}) {
    const Trajectory a = simulate(once, options), b = simulate(twice, minimum_norm(options));
    EXPECT_EQ(a.q, b.q);
    EXPECT_EQ(b.redundant->dropped, (std::vector<std::string>{"left2", "right2", "bar2"}));
    ASSERT_EQ(b.notes.size(), 1u);
    EXPECT_EQ(
        b.notes[0],
        "'left2', 'right2', 'bar2' follow from the other constraints: integrated without them; of the multipliers, "
        "which are not unique, those of minimum norm are reported");
    const std::size_t both[3][2] = {{0, 1}, {2, 4}, {3, 5}};  // left, left2, right, bar, right2, bar2
    for (std::size_t i = 0; i < 3; ++i)
      for (const std::size_t k : both[i]) EXPECT_NEAR(b.multipliers[k], 0.5 * a.multipliers[i], 1e-11);
  }
}

TEST(Redundant, ModelsWithoutRedundancyAreNotTouched) {
  const Trajectory plain = simulate(frame(""), kRun), asked = simulate(frame(""), minimum_norm());
  EXPECT_EQ(plain.q, asked.q);
  EXPECT_EQ(plain.multipliers, asked.multipliers);
  EXPECT_TRUE(asked.notes.empty());
  EXPECT_EQ(asked.redundant->rank, 3);
  EXPECT_TRUE(asked.redundant->dropped.empty());
}

// The holonomic one of two equal constraints is kept: only it knows the position.
TEST(Redundant, PositionLevelIsPreferred) {
  const Trajectory run = simulate(frame("", "[constraints.nonholonomic]\nsame = \"x1*x1' + y1*y1'\""), minimum_norm());
  EXPECT_EQ(run.redundant->dropped, std::vector<std::string>{"same"});
}

// Every rolling condition is the one to be left out somewhere; the ball passes the equator and the pole of the bowl.
TEST(Redundant, TheSubsetIsChosenAnewWhereTheOldOneWouldBecomeSingular) {
  const Model model = bowl();
  const Options options{.stages = 4, .step = 0.004, .until = 1.0, .redundant = "minimum-norm"};
  const Trajectory run = simulate(model, options);
  ASSERT_EQ(run.status, Status::done) << run.message;
  EXPECT_GE(run.redundant->changes.size(), 3u);  // 4
  EXPECT_EQ(run.redundant->rank, 4);
  const Reals centre = centre_of_the_ball(1.0L);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(run.q[i], static_cast<double>(centre[i]), 1e-7) << i;
    EXPECT_NEAR(run.v[i], static_cast<double>(centre[3 + i]), 1e-6) << i;
  }
  EXPECT_LT(*run.constraint_position, 1e-13);
  EXPECT_LT(*run.constraint_velocity, 1e-12);
  EXPECT_LT(multiplier_error(model, run), 1e-10);
  double last = 0.0;
  for (const RedundantAudit::Change& c : run.redundant->changes) {
    EXPECT_GT(c.t, last + 0.03);  // no flicker
    EXPECT_EQ(c.dropped.size(), 1u);
    last = c.t;
  }
  EXPECT_EQ(run.redundant->changes.back().dropped, run.redundant->dropped);
}

// A sleigh whose blade is written twice, and a pendulum whose rod is: whatever runs without the second one runs with it.
TEST(Redundant, AllMethodsThatTakeTheConstraintsTakeThemWithRedundantOnes) {
  const auto sleigh = [](const std::string& more) {
    return parse_model(R"toml(
name = "sleigh"
coordinates = ["x", "y", "theta"]
[lagrangian]
kinetic = "(x'^2 + y'^2 + 0.3*theta'^2)/2"
potential = "0.5*x^2"
[constraints.nonholonomic]
blade = "sin(theta)*x' - cos(theta)*y'"
)toml" + more + R"toml(
[initial]
theta = 0.3
"x'" = "cos(theta)"
"y'" = "sin(theta)"
"theta'" = 0.7
)toml",
                       "sleigh.toml");
  };
  const auto pendulum = [](const std::string& more) {
    return parse_model(R"toml(
name = "pendulum"
coordinates = ["x", "y"]
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
[constraints.holonomic]
rod = "x^2 + y^2 - 1"
)toml" + more + R"toml(
[initial]
x = 0.6
y = -0.8
"x'" = 0.8
"y'" = 0.6
)toml",
                       "pendulum.toml");
  };
  int ran = 0;
  for (const auto& [once, twice] : {std::pair(sleigh(""), sleigh("again = \"3*(sin(theta)*x' - cos(theta)*y')\"")),
                                    std::pair(pendulum(""), pendulum("again = \"3*(x^2 + y^2 - 1)\""))})
    for (const MethodEntry& entry : registry()) {
      if (!entry.info.kinds.has(Kind::mechanical)) continue;
      Options options{.method = std::string(entry.info.name), .step = 0.01, .until = 0.1};
      if (!once.holonomic_names.empty() && !entry.info.formulations.empty() &&
          entry.info.formulations.front() == Formulation::none)
        options.formulation = "index2";
      const auto [a, plain] = run(once, options);
      const auto [b, redundant] = run(twice, minimum_norm(options));
      EXPECT_EQ(plain == "it ran", redundant == "it ran") << entry.info.name << "\n" << plain << "\n" << redundant;
      if (plain != "it ran" || redundant != "it ran") continue;
      EXPECT_LT(distance(a.q, b.q), 1e-14) << entry.info.name;
      // Rows 1 and 3 of the same force: 1/10 and 3/10 of the multiplier.
      EXPECT_NEAR(b.multipliers[0], 0.1 * a.multipliers[0], 1e-12 * std::fabs(a.multipliers[0])) << entry.info.name;
      EXPECT_NEAR(b.multipliers[1], 0.3 * a.multipliers[0], 1e-12 * std::fabs(a.multipliers[0])) << entry.info.name;
      ++ran;
    }
  EXPECT_GE(ran, 40);
}

TEST(Redundant, ChosenStepsEventsCompositionsAndRecordsBetweenStepsPassTheChangesToo) {
  const Model model = bowl();
  const Options plain{.stages = 3, .step = 0.004, .until = 0.6, .redundant = "minimum-norm"};
  Options adaptive = plain;
  adaptive.adaptive = 1e-9;
  adaptive.event = {"z"};
  adaptive.output_every = 0.1;
  Options composed = plain;
  composed.stages = 2;
  composed.compose = 4;
  const Trajectory a = simulate(model, plain), b = simulate(model, adaptive), c = simulate(model, composed);
  const Reals centre = centre_of_the_ball(0.6L);
  for (const Trajectory* t : {&a, &b, &c}) {
    ASSERT_EQ(t->status, Status::done) << t->message;
    EXPECT_GE(t->redundant->changes.size(), 1u);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(t->q[i], static_cast<double>(centre[i]), 1e-5) << i;
  }
  ASSERT_GE(b.events.size(), 1u);  // the equator
  EXPECT_NEAR(b.events[0].q[2], 0.0, 1e-14);
  ASSERT_EQ(b.records.rows, 7u);
  for (std::size_t row = 0; row < 7; ++row) {  // multipliers between the steps are no noise
    const double t = b.records.t[row];
    LongMechanics exact(model);
    const Reals q(b.records.q.begin() + static_cast<std::ptrdiff_t>(7 * row),
                  b.records.q.begin() + static_cast<std::ptrdiff_t>(7 * row + 7));
    const Reals v(b.records.v.begin() + static_cast<std::ptrdiff_t>(7 * row),
                  b.records.v.begin() + static_cast<std::ptrdiff_t>(7 * row + 7));
    const Reals expected = exact.motion(t, q, v).multipliers;
    for (std::size_t i = 0; i < 5; ++i)
      EXPECT_NEAR(b.records.multipliers[5 * row + i], static_cast<double>(expected[i]), 1e-3) << t << " " << i;
  }
}

TEST(Redundant, CodesThatChooseTheirOwnStepsShowWhatLiesBetweenThem) {
  Options options{.method = "ode", .step = 0.05, .until = 0.6, .rtol = 1e-9, .atol = 1e-11};
  options.redundant = "minimum-norm";
  options.output_every = 0.02;
  const Trajectory t = simulate(bowl(), options);
  ASSERT_EQ(t.status, Status::done) << t.message;
  ASSERT_EQ(t.records.rows, 31u);
  EXPECT_GE(t.redundant->changes.size(), 1u);
  const Reals centre = centre_of_the_ball(0.58L);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(t.records.q[7 * 29 + i], static_cast<double>(centre[i]), 1e-6) << i;
}

TEST(Redundant, AResumedRunHasTheBitsAndTheChangesOfTheWholeOne) {
  const Model model = bowl();
  const std::string file = (std::filesystem::path(::testing::TempDir()) / "redundant.ck").string();
  Options whole{.stages = 2, .step = 0.004, .steps = 120, .redundant = "minimum-norm"};
  const Trajectory expected = simulate(model, whole);
  Options part = whole;
  part.checkpoint = file;
  part.steps = 70;
  (void)simulate(model, part);
  part.steps = 120;
  part.resume = true;
  const Trajectory resumed = simulate(model, part);
  EXPECT_EQ(resumed.q, expected.q);
  EXPECT_EQ(resumed.v, expected.v);
  EXPECT_EQ(resumed.multipliers, expected.multipliers);
  EXPECT_EQ(resumed.records.q, expected.records.q);
  EXPECT_EQ(resumed.newton_iterations, expected.newton_iterations);
  ASSERT_EQ(resumed.redundant->changes.size(), expected.redundant->changes.size());
  EXPECT_GE(expected.redundant->changes.size(), 1u);
  std::filesystem::remove(file);
}

// The flat position: the arms and the bar in one line, where the bar's row depends on those of the arms at this moment.
// The run starts there, with loads that the bar must share. Reference: one angle, 3 phi'' = -32.43 cos phi.
TEST(Redundant, ARankThatIsLostAtOneMomentIsPassedAndReported) {
  Model model = frame("", "", " + 3*y1");
  model.q0 = {1.0, 0.0, 3.0, 0.0};
  model.v0 = {0.0, 2.0, 0.0, 2.0};
  Options options{.method = "spark-gauss", .stages = 2, .step = 0.005, .until = 0.15, .formulation = "ggl"};
  options.redundant = "minimum-norm";
  const Trajectory run = simulate(model, options);
  ASSERT_EQ(run.status, Status::done) << run.message;
  Real phi = 0, w = 2;
  const int steps = 3000;
  const Real h = 0.15L / steps;
  const auto f = [](Real x) { return -32.43L * std::cos(x) / 3; };
  for (int k = 0; k < steps; ++k) {
    const Real k1 = f(phi), k2 = f(phi + h / 2 * w), k3 = f(phi + h / 2 * w + h * h / 4 * k1),
               k4 = f(phi + h * w + h * h / 2 * k2);
    phi += h * w + h * h / 6 * (k1 + k2 + k3);
    w += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  const double expected[4] = {static_cast<double>(std::cos(phi)), static_cast<double>(std::sin(phi)),
                              2.0 + static_cast<double>(std::cos(phi)), static_cast<double>(std::sin(phi))};
  EXPECT_LT(distance(run.q, expected), 1e-6);
  EXPECT_LT(*run.constraint_position, 1e-12);
  EXPECT_EQ(run.redundant->rank, 3);
  ASSERT_FALSE(run.redundant->changes.empty());  // the bar was taken back
  EXPECT_EQ(run.redundant->changes[0].t, 0.0);
  EXPECT_TRUE(run.redundant->changes[0].dropped.empty());
}

TEST(Redundant, WhatIsNotPossibleIsSaid) {
  EXPECT_EQ(message_of(frame("again = \"x1^2 + y1^2 - 1.1\""), minimum_norm()),
            "--redundant minimum-norm: 'again' depends on the other constraints at the start, but contradicts them: "
            "residual 1.000e-01 at position level. Correct or remove it");
  EXPECT_EQ(message_of(frame("", "level = \"y2 - y1\"\n[forces]\nx1 = \"-0.1*lambda(level)\""), minimum_norm()),
            "--redundant minimum-norm: 'level' follows from the other constraints, and a force contains lambda(...), "
            "which is then not determined. Remove what is redundant");
  Options wrong = kRun;
  wrong.redundant = "ignore";
  EXPECT_EQ(message_of(frame(""), wrong), "--redundant takes refuse or minimum-norm, found 'ignore'");
  // It holds at the start, and with the others for no time after that.
  const std::string text = message_of(frame("", "level = \"y2 - y1 - t^4\""), minimum_norm());
  EXPECT_NE(text.find("constraint 'level' depends on the others there, but they do not keep it"), std::string::npos)
      << text;
  // Drifting positions leave the configurations on which a constraint follows from the others.
  Options drifting = minimum_norm();
  drifting.formulation = "index2";
  EXPECT_EQ(
      message_of(frame("", "level = \"y2 - y1\""), drifting),
      "--redundant minimum-norm: 'level' follows from the other constraints only where these hold, and "
      "--formulation index2 lets positions drift off them, where it contradicts them. Use --formulation index3 or "
      "ggl, or a method that takes them, or remove what is redundant");
}

TEST(Redundant, OrderAndCompareTakeThem) {
  const Model model = frame("", "level = \"y2 - y1\"");
  OrderRequest request;
  request.methods = {{"spark-lobatto-ab", 2}};
  request.steps = {0.04, 0.02, 0.01};
  request.until = 0.4;
  request.options.redundant = "minimum-norm";
  EXPECT_NEAR(order_study(model, request).slopes[0].fitted, 2.0, 0.1);
}

}  // namespace
}  // namespace rattleback
