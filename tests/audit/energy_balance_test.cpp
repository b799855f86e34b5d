// When the audit does not expect the energy to be kept, and why.
#include "audit/energy_balance.hpp"

#include <gtest/gtest.h>

namespace rattleback {
namespace {

TEST(EnergyBalance, NamesWhatDoesWork) {
  EXPECT_EQ(why_energy_changes(load_model("pendulum")), "");
  EXPECT_EQ(why_energy_changes(load_model("rolling-disc")), "");
  EXPECT_EQ(why_energy_changes(load_model("heavy-top")), "");
  EXPECT_EQ(why_energy_changes(load_model("andrews")), "Forces do work on this system");
  EXPECT_EQ(why_energy_changes(load_model("car-axis")), "The Lagrangian depends on time");
  EXPECT_EQ(why_energy_changes(load_model("ball-on-turntable")), "Constraints that move do work on this system");
  EXPECT_EQ(why_energy_changes(load_model("ball-on-turntable", {.set = {{"Omega", "0"}}, .start = {}})), "");
  EXPECT_EQ(why_energy_changes(parse_model("coordinates = [\"x\", \"y\"]\n[lagrangian]\nkinetic = \"x'^2 + y'^2\"\n"
                                           "[constraints.holonomic]\ndrive = \"x - sin(t)\"\n",
                                           "m.toml")),
            "Constraints that move do work on this system");
  // Depends on t, but has no part that is free of v: no work.
  EXPECT_EQ(why_energy_changes(parse_model("coordinates = [\"x\", \"y\"]\n[lagrangian]\nkinetic = \"x'^2 + y'^2\"\n"
                                           "[constraints.nonholonomic]\nblade = \"x' - cos(t)*y'\"\n",
                                           "m.toml")),
            "");
}

}  // namespace
}  // namespace rattleback
