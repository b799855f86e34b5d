// Compiled steps of ode-dop853 and projected-dop853 have the bits of interpreted ones, with fixed and with chosen steps.
#include "engine/private_cache.hpp"
#include "rattleback/simulate.hpp"
#include "support/motion.hpp"

namespace rattleback::testing {
namespace {

void expect_same_bits(const Model& model, Options options, const char* name) {
  options.method = name;
  options.native = "off";
  const Trajectory a = simulate(model, options);
  options.native = "on";
  const Trajectory b = simulate(model, options);
  ASSERT_EQ(a.status, Status::done) << a.message;
  EXPECT_TRUE(b.native);
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.v, b.v);
  EXPECT_EQ(a.records.q, b.records.q);
  EXPECT_EQ(a.newton_iterations, b.newton_iterations);
}

TEST_F(Native, TakesTheStepsOfDop853) {
  Options fixed;
  fixed.step = 0.05;
  fixed.until = 20.0;
  Options chosen;
  chosen.adaptive = 1e-9;
  chosen.until = 20.0;
  for (const char* const key : {"contact-oscillator", "double-pendulum", "chaplygin-sleigh"}) {
    SCOPED_TRACE(key);
    expect_same_bits(shipped(key), fixed, "ode-dop853");
    expect_same_bits(shipped(key), chosen, "ode-dop853");
    expect_same_bits(shipped(key), chosen, "projected-dop853");
  }
}

}  // namespace
}  // namespace rattleback::testing
