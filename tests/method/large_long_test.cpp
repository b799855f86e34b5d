// The longest chain of the goals. Numbers at line ends: measured.
#include <gtest/gtest.h>

#include <limits>

#include "rattleback/simulate.hpp"
#include "support/large_models.hpp"

namespace rattleback::testing {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

TEST(LargeSystems, AChainOfAHundredThousandLinksKeepsItsConstraints) {
  for (const char* const native : {"off", "on"}) {
    Options options{.method = "rattle", .step = 0.001, .steps = 60, .every = 20, .record_multipliers = false};
    options.native = native;
    const Trajectory t = simulate(chain(100'000), options);
    ASSERT_EQ(t.status, Status::done) << t.message;
    EXPECT_LT(*t.constraint_position, 10 * 1e5 * kEps);
    EXPECT_LT(*t.constraint_velocity, 10 * 1e5 * kEps);
    EXPECT_LE(t.newton_max_per_step, 4);
  }
}

}  // namespace
}  // namespace rattleback::testing
