// Large systems with compiled loops: the bits of the interpreter.
#include "engine/families.hpp"
#include "rattleback/error.hpp"
#include "support/large_models.hpp"

namespace rattleback::testing {
namespace {

// Long enough for loops in strips, with a last strip that is not full.
TEST_F(Native, StripsHaveTheBitsOfTheInterpreter) {
  compare(chain(1500), {.method = "rattle", .step = 0.004, .steps = 12});
  compare(chain(700), {.method = "spark-gauss", .stages = 2, .step = 0.004, .steps = 6, .formulation = "index2"});
}

TEST_F(Native, AFailureOfAFamilyHasTheSameWords) {
  Model model = chain(100);
  Options options{.method = "rattle", .step = 0.8, .steps = 40};
  options.native = "off";
  const Trajectory a = simulate(model, options);
  options.native = "on";
  const Trajectory b = simulate(model, options);
  EXPECT_EQ(a.status, Status::stopped);
  EXPECT_EQ(a.message, b.message);
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_TRUE(same_bits(a.q, b.q));
}

}  // namespace
}  // namespace rattleback::testing
