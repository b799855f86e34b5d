// --newton simplified: equations solved as plain codes do. Loosely solved, a method loses what it keeps.
#include <gtest/gtest.h>

#include <cmath>

#include "rattleback/rattleback.hpp"

namespace rattleback {
namespace {

Trajectory disk(double tolerance, const std::string& newton) {
  Options options;
  options.method = "spark-lobatto-ab";
  options.stages = 2;
  options.step = 0.1;
  options.until = 100.0;
  options.newton = newton;
  options.newton_tol = tolerance;
  return simulate(load_model("rolling-disk"), options);
}

TEST(SimplifiedNewton, ReachesTheSameStepsWhenSolvedToRounding) {
  const Trajectory plain = disk(0.0, "simplified"), best = disk(0.0, "");
  for (std::size_t i = 0; i < best.q.size(); ++i) EXPECT_NEAR(plain.q[i], best.q[i], 1e-12 * std::fabs(best.q[i]));
  EXPECT_LT(plain.energy->max_error, 2e-15);
  EXPECT_GT(plain.newton_iterations, 5 * 1000);  // it does iterate: 10 per step
}

// [Hilden2009, fig. 4.5] The energy drift of the document is that of a loosely solved step: 7.1e-6 per time here.
TEST(SimplifiedNewton, LooseTolerancesMakeTheEnergyDrift) {
  EXPECT_NEAR(disk(1e-3, "simplified").energy->drift_per_time, -7.1e-6, 0.1e-6);
  EXPECT_NEAR(disk(1e-6, "simplified").energy->drift_per_time, -1.27e-7, 0.02e-7);
  EXPECT_LT(disk(1e-3, "").energy->max_error, 2e-15);  // solved directly: nothing is left to the tolerance
}

TEST(SimplifiedNewton, IsRefusedWhereItMeansNothing) {
  Options options;
  options.newton = "simplified";
  options.step = 0.1;
  options.until = 1.0;
  for (const char* method : {"mclachlan-perlmutter", "ode", "gonzalez-r"}) {
    options.method = method;
    EXPECT_THROW(simulate(load_model("rolling-disk"), options), Error) << method;
  }
  options.method = "srk-gauss";
  EXPECT_THROW(simulate(load_model("dae-hessenberg"), options), Error);
}

}  // namespace
}  // namespace rattleback
