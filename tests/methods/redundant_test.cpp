// Redundant constraints: refused by name, or on request integrated with multipliers of minimum norm. Numbers at line ends:
// measured.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "formulation/start.hpp"
#include "rattleback/error.hpp"
#include "rattleback/simulate.hpp"
#include "simulate/redundant.hpp"

namespace rattleback {
namespace {

// A swinging parallelogram: two arms and a bar hold it; `level` and `slide` follow from them.
Model frame(const std::string& more_holonomic, const std::string& nonholonomic = "") {
  return parse_model(R"toml(
name = "frame"
coordinates = ["x1", "y1", "x2", "y2"]
[lagrangian]
kinetic = "(2*x1'^2 + 2*y1'^2 + x2'^2 + y2'^2)/2"
potential = "9.81*(2*y1 + y2)"
[constraints.holonomic]
left = "x1^2 + y1^2 - 1"
)toml" + more_holonomic + R"toml(
right = "(x2 - 2)^2 + y2^2 - 1"
bar   = "(x2 - x1)^2 + (y2 - y1)^2 - 4"
)toml" + nonholonomic + R"toml(
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

const Options kRun = {.method = "spark-gauss", .stages = 3, .step = 0.02, .until = 1.0, .formulation = "index2"};
Options minimum_norm() {
  Options o = kRun;
  o.redundant = "minimum-norm";
  return o;
}

std::string message_of(const Model& model, const Options& options) {
  try {
    (void)simulate(model, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "it ran";
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double d = 0.0;
  for (std::size_t i = 0; i < b.size(); ++i) d = std::fmax(d, std::fabs(a[i] - b[i]));
  return d;
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
  EXPECT_EQ(run.q, plain.q);
  EXPECT_EQ(run.v, plain.v);
  EXPECT_LT(*run.constraint_velocity, 1e-11);  // all six constraints are watched
  ASSERT_EQ(run.multipliers.size(), 6u);
  ASSERT_EQ(run.records.multipliers.size(), 6u * run.records.rows);
  ASSERT_FALSE(run.notes.empty());
  EXPECT_EQ(run.notes.back(),
            "'again', 'level', 'slide' follow from the other constraints: integrated without them; of the multipliers, "
            "which are not unique, those of minimum norm are reported");

  // K^T lambda agrees, and lambda is orthogonal to the kernel of K^T, hence of minimum norm.
  const Model few_constraints = frame("");
  const System system(redundant), reduced_system(few_constraints);
  const auto reaction = [](const Trajectory& t, Evaluator& e) {
    const auto K = e(t.t, t.q, t.v);
    std::vector<double> out(4, 0.0);
    for (std::size_t c = 0; c < t.multipliers.size(); ++c)
      for (std::size_t i = 0; i < 4; ++i) out[i] += K[4 * c + i] * t.multipliers[c];
    return out;
  };
  const auto evaluator = [](const System& s) {
    std::vector<NodeId> nodes;
    for (const auto& row : s.mechanical().K) nodes.insert(nodes.end(), row.begin(), row.end());
    return Evaluator(s.mechanical().graph, nodes, s.n(), s.m());
  };
  Evaluator all = evaluator(system), few = evaluator(reduced_system);
  EXPECT_LT(distance(reaction(run, all), reaction(plain, few)), 1e-10);  // 2e-14
  // `left` and `again` have parallel rows, 2 (x1, y1) and (x1, y1): minimum norm shares the force as 2 : 1.
  EXPECT_NEAR(run.multipliers[0], 2.0 * run.multipliers[1], 1e-10);
}

TEST(Redundant, ModelsWithoutRedundancyAreNotTouched) {
  const Trajectory plain = simulate(frame(""), kRun), asked = simulate(frame(""), minimum_norm());
  EXPECT_EQ(plain.q, asked.q);
  EXPECT_EQ(plain.multipliers, asked.multipliers);
  EXPECT_TRUE(asked.notes.empty());
}

// The holonomic one of two equal constraints is kept: only it knows the position.
TEST(Redundant, PositionLevelIsPreferred) {
  const Model model = frame("", "[constraints.nonholonomic]\nsame = \"x1*x1' + y1*y1'\"");
  const Reduction reduction(model, minimum_norm());
  ASSERT_TRUE(reduction.active());
  EXPECT_EQ(reduction.kept(), (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_EQ(reduction.model().nonholonomic_names.size(), 0);
}

TEST(Redundant, WhatIsNotPossibleIsSaid) {
  EXPECT_EQ(message_of(frame("", "level = \"y2 - y1 - 0.1\""), minimum_norm()),
            "--redundant minimum-norm: 'level' depends on the other constraints at the start, but contradicts them: "
            "residual 1.000e-01 at position level. Correct or remove it");
  EXPECT_EQ(message_of(frame("", "level = \"y2 - y1\"\n[forces]\nx1 = \"-0.1*lambda(level)\""), minimum_norm()),
            "--redundant minimum-norm: 'level' follows from the other constraints, and a force contains lambda(...), "
            "which is then not determined. Remove what is redundant");
  Options wrong = kRun;
  wrong.redundant = "ignore";
  EXPECT_EQ(message_of(frame(""), wrong), "--redundant takes refuse or minimum-norm, found 'ignore'");
}

}  // namespace
}  // namespace rattleback
