// Policies of a run: by value or by name, and what is said of a name that is not known.
#include "rattleback/policies.hpp"

#include <gtest/gtest.h>

#include "rattleback/error.hpp"
#include "rattleback/simulate.hpp"

namespace rattleback {
namespace {

TEST(Policies, AreGivenByValueOrByName) {
  const Options by_value{.formulation = Formulation::ggl, .native = Native::off};
  const std::string ggl = "ggl";
  const Options by_name{.formulation = ggl, .native = "off"};
  EXPECT_TRUE(by_value.native == by_name.native);
  EXPECT_TRUE(by_value.formulation == by_name.formulation);
  EXPECT_TRUE(by_name.native == Native::off && by_value.native == "off" && by_value.formulation == ggl);
  EXPECT_FALSE(by_name.native == Native::on || by_value.native == "auto");
  EXPECT_EQ(by_name.validate(), "");
}

TEST(Policies, StandForTheUsualWhenTheyAreNotGiven) {
  const Options plain;
  EXPECT_FALSE(plain.native.given());
  EXPECT_TRUE(plain.native == Native::automatic);
  EXPECT_TRUE(plain.redundant == Redundant::refuse);
  EXPECT_TRUE(plain.formulation == Formulation::none);
  EXPECT_FALSE(plain.native == Choice<Native>("auto"));  // was asked for
}

TEST(Policies, KeepANameThatIsNotKnownForTheMessage) {
  const Options wrong{.formulation = "index7", .newton = "fast", .native = "maybe"};
  EXPECT_EQ(wrong.validate(),
            "--formulation takes index3, index2 or ggl, found 'index7'\n"
            "--newton takes simplified, found 'fast'; left out, each step is solved in the best known way\n"
            "--native takes auto, on or off, found 'maybe'");
  EXPECT_THROW(simulate(load_model("skate"), wrong), Error);
}

// An explicit `refuse` is the default: families stay families, and runs in lanes stay shared.
TEST(Policies, AskingForTheUsualChangesNothing) {
  const Model model = load_model("skate");
  const Trajectory plain = simulate(model, {.steps = 10});
  const Trajectory asked = simulate(model, {.steps = 10, .redundant = Redundant::refuse, .native = Native::automatic});
  EXPECT_EQ(plain.q, asked.q);
}

}  // namespace
}  // namespace rattleback
