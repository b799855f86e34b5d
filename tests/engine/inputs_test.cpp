// Inputs from outside reach the step of a stepper without anything being derived, interpreted and in machine code.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/plan_stepper.hpp"
#include "model/inputs.hpp"
#include "private_cache.hpp"
#include "support/motion.hpp"

namespace rattleback::testing {
namespace {

Model pushed(const std::string& input) {
  return parse_model(
      "coordinates = [\"x\", \"y\"]\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = \"y\"\n"
      "[constraints.holonomic]\nrod = \"x^2 + y^2 - 1\"\n[ports.push]\n" +
          input + "along = { x = \"1 + y^2\" }\n[initial]\nx = 1\n",
      "pushed.toml");
}

void expect_follows(const std::string& name, int stages, bool native) {
  const Model model = pushed("");
  const Motion given(model, method(name, stages)), written(pushed("input = \"0.75\"\n"), method(name, stages));
  if (native)
    for (const Motion* const m : {&given, &written}) ASSERT_EQ(m->stepper->go_native(false), "");
  std::vector<double> values = given_values(model);
  values[*place_of_input(model, "push")] = 0.75;
  ASSERT_TRUE(dynamic_cast<PlanStepper&>(*given.stepper).set_parameters(values));
  ASSERT_TRUE(given.stepper->advance(0.01, 50).ok);
  ASSERT_TRUE(written.stepper->advance(0.01, 50).ok);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(given.stepper->q()[i], written.stepper->q()[i], 1e-14) << name;
}

TEST(Inputs, AreThoseThatAStepperWasGiven) {
  expect_follows("prk-lobatto", 3, false);
  expect_follows("prk-lobatto", 2, false);
  expect_follows("prk-murua", 0, false);
}

TEST(Inputs, ReachMachineCodeToo) { expect_follows("prk-lobatto", 3, true); }

TEST(Stepper, RefusesAStepThatIsNone) {
  for (const char* const name : {"prk-lobatto", "ode", "baumgarte"}) {
    const Motion motion(pushed(""), method(name, std::string(name) == "prk-lobatto" ? 2 : 0));
    for (const double h : {std::nan(""), 0.0, HUGE_VAL}) {
      const AdvanceReport report = motion.stepper->advance(h, 1);
      EXPECT_FALSE(report.ok);
      EXPECT_STREQ(report.failure.reason, "the size of a step must be a finite number, and not 0");
      EXPECT_EQ(motion.stepper->t(), 0.0);
      EXPECT_EQ(motion.stepper->q()[0], 1.0);
    }
    EXPECT_TRUE(motion.stepper->advance(0.01, 1).ok);
  }
}

}  // namespace
}  // namespace rattleback::testing
