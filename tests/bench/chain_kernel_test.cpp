// The hand-written chain takes the steps of the library. Numbers at line ends: measured.
#include <gtest/gtest.h>

#include "../bench/chain_kernel.hpp"
#include "rattleback/simulate.hpp"

namespace rattleback::testing {
namespace {

TEST(ChainKernel, TakesTheStepsOfTheLibrary) {
  constexpr std::size_t n = 150;
  constexpr std::int64_t steps = 400;
  const Model model = load_model("chain", {.set = {{"N", std::to_string(n)}}});
  const Trajectory t = simulate(model, {.method = "rattle", .step = 0.001, .steps = steps, .every = steps});
  bench::ChainKernel kernel(n, 0.001);
  for (std::int64_t k = 0; k < steps; ++k) ASSERT_TRUE(kernel.step());
  double q = 0.0, v = 0.0, rods = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    q = std::max({q, std::fabs(t.q[i] - kernel.x[i + 1]), std::fabs(t.q[n + i] - kernel.y[i + 1])});
    v = std::max({v, std::fabs(t.v[i] - kernel.vx[i + 1]), std::fabs(t.v[n + i] - kernel.vy[i + 1])});
    const double dx = kernel.x[i + 1] - kernel.x[i], dy = kernel.y[i + 1] - kernel.y[i];
    rods = std::max(rods, std::fabs(dx * dx + dy * dy - 1.0) / 2);
  }
  EXPECT_LT(q, 1e-9);
  EXPECT_LT(v, 1e-9);
  EXPECT_LT(rods, 10 * n * std::numeric_limits<double>::epsilon());
}

}  // namespace
}  // namespace rattleback::testing
