// Colours of maps: equal steps to the eye, also for eyes without one kind of cones, and lightness alone tells more from less.
#include "plot/colours.hpp"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "plot/cielab.hpp"

namespace rattleback::plot {
namespace {

TEST(Colours, AreEqualStepsToTheEye) {
  constexpr int kSteps = 32;
  const double whole = std::hypot(kMost.L - kLeast.L, kMost.a - kLeast.a, kMost.b - kLeast.b);
  for (int i = 0; i < kSteps; ++i) {
    const Three one = cielab(linear(shade(i / 32.0))), next = cielab(linear(shade((i + 1) / 32.0)));
    const double step = std::hypot(next[0] - one[0], next[1] - one[1], next[2] - one[2]);
    EXPECT_NEAR(step, whole / kSteps, 0.8) << i;  // colours have 256 levels
    EXPECT_GT(next[0], one[0] + 1.0) << i;
  }
}

TEST(Colours, GrowLighterForAllEyes) {
  for (const auto& [eye, matrix] : kEyes) {
    double last = -1.0, least = 100.0;
    for (int i = 0; i <= 16; ++i) {
      Three c = times(matrix, linear(shade(i / 16.0)));
      for (double& x : c) x = std::clamp(x, 0.0, 1.0);
      const Three seen = cielab(c);
      if (i > 0) least = std::fmin(least, seen[0] - last);
      last = seen[0];
    }
    EXPECT_GT(least, 1.5) << eye;  // 1.7 for a tritanope, else 3 and more
  }
}

TEST(Colours, EndWhereTheyAreSaidTo) {
  const Three low = cielab(linear(shade(-1.0))), high = cielab(linear(shade(2.0)));
  EXPECT_NEAR(low[0], kLeast.L, 0.5);
  EXPECT_NEAR(high[0], kMost.L, 0.5);
  EXPECT_NEAR(low[2], kLeast.b, 1.5);
  EXPECT_NEAR(high[2], kMost.b, 1.5);
}

}  // namespace
}  // namespace rattleback::plot
