// Energy and constraint over 10^5 steps. Numbers at line ends: measured.
#include <gtest/gtest.h>

#include "rattleback/simulate.hpp"
#include "support/motion.hpp"

namespace rattleback::testing {
namespace {

TEST(EnergyMethodsLong, KeepEnergyAndConstraintOverAHundredThousandSteps) {
  const Model systems[] = {
      shipped("gearbox"), shipped("quartic-particles"),
      shipped("chaplygin-sleigh", {{"g", "0"}}, {{"theta'", "0.8"}, {"x'", "0.4"}, {"theta", "0"}}),
      shipped("mobile-robot", {}, {{"theta'", "0.5"}})};
  for (const Model& model : systems)
    for (const auto& [name, stages] : {std::pair{"gonzalez-r", 0}, std::pair{"avf-collocation", 2}}) {
      SCOPED_TRACE(model.name + " " + name);
      Options options;
      options.method = name;
      options.stages = stages;
      options.step = 0.1;
      options.steps = 100'000;
      options.every = 10;
      options.record_multipliers = false;
      const Trajectory run = simulate(model, options);
      ASSERT_EQ(run.status, Status::done) << run.message;
      EXPECT_LT(run.energy->max_error, 1e-13 * std::max(std::abs(run.energy->initial), run.energy->max_kinetic));
      EXPECT_LT(*run.constraint_velocity, 5e-15);
    }
}

}  // namespace
}  // namespace rattleback::testing
