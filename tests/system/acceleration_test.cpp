// The acceleration level of a system: compiled once, solved in many places.
#include "system/acceleration.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "system/system.hpp"

namespace rattleback {
namespace {

TEST(AccelerationLevel, IsCompiledOnceForASystem) {
  for (const char* name : {"double-pendulum", "dae-hessenberg", "friction-on-cubic", "two-oscillators"}) {
    const Model model = load_model(name);
    const System system(model);
    const auto a = system.acceleration(), b = system.acceleration();
    EXPECT_NE(a->plan(), nullptr) << name;
    EXPECT_EQ(a->plan(), b->plan()) << name;
  }
}

TEST(AccelerationLevel, IsSolvedInManyPlacesIndependently) {
  const Model model = load_model("pendulum");
  const System system(model);
  const auto hanging = system.acceleration(), lifted = system.acceleration();
  const auto at = [](double angle) { return std::vector<double>{std::sin(angle), -std::cos(angle)}; };
  const std::vector<double> rest = {0.0, 0.0};
  ASSERT_TRUE(hanging->solve(0.0, at(0.0), rest));
  const std::vector<double> before(hanging->acceleration().begin(), hanging->acceleration().end());
  ASSERT_TRUE(lifted->solve(0.0, at(1.0), rest));
  EXPECT_EQ(before, (std::vector<double>(hanging->acceleration().begin(), hanging->acceleration().end())));
  EXPECT_LT(lifted->acceleration()[0], -0.1);
}

}  // namespace
}  // namespace rattleback
