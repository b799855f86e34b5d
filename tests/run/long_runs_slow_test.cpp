// What the reversible controller is for: the energy over 10^5 steps, against the pi controller with the same method and
// tolerance. docs/images/step_control.py draws these runs. Numbers at line ends: measured.
#include "run/support.hpp"

namespace rattleback::testing {
namespace {

constexpr double kTurn = 6.283185307179586;

struct Energy {
  double early = 0.0, late = 0.0;  // largest error in the first and in the last tenth
  std::int64_t steps = 0;
};

Energy energy(const Model& model, const Options& options) {
  const Trajectory run = simulate(model, options);
  EXPECT_EQ(run.status, Status::done) << run.message;
  Energy out;
  out.steps = run.steps;
  const std::size_t rows = run.records.rows;
  for (std::size_t i = 0; i < rows; ++i) {
    const double error = std::fabs(run.records.energy[i] - run.records.energy[0]);
    if (i < rows / 10) out.early = std::fmax(out.early, error);
    if (i > rows - rows / 10) out.late = std::fmax(out.late, error);
  }
  return out;
}

TEST(LongRuns, KeepTheEnergyOfAnEccentricOrbitWithTheReversibleControllerOnly) {
  const Energy reversible = energy(kepler(), adaptive("spark-gauss", 2, 1e-6, 2500 * kTurn, "reversible"));
  const Energy pi = energy(kepler(), adaptive("spark-gauss", 2, 1e-6, 2500 * kTurn, "pi"));
  EXPECT_GT(reversible.steps, 100'000);                 // 147 000
  EXPECT_LT(reversible.late, 1.05 * reversible.early);  // 1.91e-5, and 1.91e-5
  EXPECT_GT(pi.steps, 100'000);                         // 108 000
  EXPECT_GT(pi.late, 5.0 * pi.early);                   // 2.7e-2, and 2.7e-3
}

// This motion is chaotic: the bounded error wanders, as it does with a fixed step (4e-3 with h = 0.03).
TEST(LongRuns, KeepTheEnergyOfTheDoublePendulumWithTheReversibleControllerOnly) {
  const Model model = shipped("double-pendulum");
  const Energy reversible = energy(model, adaptive("spark-gauss", 2, 1e-5, 3500.0, "reversible"));
  const Energy pi = energy(model, adaptive("spark-gauss", 2, 1e-5, 3500.0, "pi"));
  EXPECT_GT(reversible.steps, 100'000);                // 108 000
  EXPECT_LT(reversible.late, 4.0 * reversible.early);  // 2.3e-3, and 1.2e-3
  EXPECT_GT(pi.late, 5.0 * pi.early);                  // 1.04, and 0.11
  EXPECT_GT(pi.late, 50.0 * reversible.late);
}

// The same with constraints at position level, which rattle keeps to rounding with either controller.
TEST(LongRuns, OfRattleKeepTheEnergyWithTheReversibleControllerOnly) {
  const Model model = shipped("double-pendulum");
  Options options = adaptive("rattle", 0, 1e-5, 1000.0, "reversible");
  options.formulation = "";
  const Energy reversible = energy(model, options);
  options.controller = "pi";
  const Energy pi = energy(model, options);
  EXPECT_GT(reversible.steps, 100'000);  // 151 000
  EXPECT_LT(reversible.late, 4.0 * reversible.early);
  EXPECT_GT(pi.late, 5.0 * pi.early);
  EXPECT_GT(pi.late, 20.0 * reversible.late);  // largest errors of the runs: 3.0, and 7.6e-2
}

}  // namespace
}  // namespace rattleback::testing
