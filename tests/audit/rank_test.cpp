// Mechanisms that pass a configuration where their constraints lose rank.
#include <gtest/gtest.h>

#include "rattleback/simulate.hpp"

namespace rattleback {
namespace {

// A slider-crank with equal lengths: folded at x = 0, where both rows of the constraints are parallel.
Model slider_crank() {
  return parse_model(R"toml(
coordinates = ["x1", "y1", "x2"]
[lagrangian]
kinetic = "(x1'^2 + y1'^2 + x2'^2)/2"
potential = "0.1*y1"
[constraints.holonomic]
crank = "(x1^2 + y1^2 - 1)/2"
rod = "((x2 - x1)^2 + y1^2 - 1)/2"
[initial]
x1 = "cos(0.8)"
y1 = "sin(0.8)"
x2 = "2*cos(0.8)"
"x1'" = "-1.3*sin(0.8)"
"y1'" = "1.3*cos(0.8)"
"x2'" = "-2.6*sin(0.8)"
)toml",
                     "crank.toml");
}

bool tells(const Trajectory& t) {
  for (const std::string& note : t.notes)
    if (note.find("nearly lose rank at t = 0.7") != std::string::npos &&
        note.find("the steps passed it") != std::string::npos)
      return true;
  return false;
}

TEST(RankLoss, IsPassedAndReported) {
  for (const char* method : {"prk-lobatto", "prk-murua"}) {
    Options options;
    options.method = method;
    options.stages = 3;
    options.step = 0.013;
    options.steps = 100;
    const Trajectory t = simulate(slider_crank(), options);
    EXPECT_EQ(t.status, Status::done) << t.message;
    EXPECT_LT(*t.constraint_position, 1e-14);  // 4e-16
    EXPECT_LT(*t.constraint_velocity, 1e-14);  // 6e-16
    EXPECT_LT(t.energy->max_error, 1e-6);      // 5e-8
    EXPECT_TRUE(tells(t)) << method;
    options.steps = 30;  // t = 0.39: not there yet
    EXPECT_FALSE(tells(simulate(slider_crank(), options)));
  }
}

}  // namespace
}  // namespace rattleback
