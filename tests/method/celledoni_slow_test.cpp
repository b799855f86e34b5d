// The long experiments of Celledoni et al. with their numbers. Numbers at line ends: measured.
#include <gtest/gtest.h>

#include <cmath>

#include "rattleback/simulate.hpp"
#include "support/motion.hpp"

namespace rattleback::testing {
namespace {

Trajectory gearbox(const char* method, double until) {
  Options options;
  options.method = method;
  options.step = 0.1;
  options.until = until;
  options.every = 10;
  options.record_multipliers = false;
  return simulate(shipped("gearbox"), options);
}

// The energy of the pendulum that drives the gearbox: a second invariant, at the end of the run.
double pendulum_energy(const Trajectory& run) {
  return run.v[2] * run.v[2] / 2 + std::cos(run.q[2]) - std::sin(2 * run.q[2]) / 5;
}

TEST(Gearbox, EnergyAndConstraintAreKeptAndTheSecondInvariantIsNot) {
  const Trajectory reduced = gearbox("gonzalez-r", 50'000);
  EXPECT_LT(reduced.energy->max_error, 1e-14);         // 1.8e-15, of 4.5
  EXPECT_LT(*reduced.constraint_velocity, 2e-15);      // 2.2e-16
  EXPECT_NEAR(pendulum_energy(reduced), 1.18, 0.005);  // 1.1777; it starts at 4.125
  const Trajectory full = gearbox("gonzalez-f", 50'000);
  EXPECT_LT(full.energy->max_error, 2e-13);            // 4.4e-14
  EXPECT_NEAR(*full.constraint_velocity, 0.47, 0.05);  // 0.49
  EXPECT_LT(pendulum_energy(full), 2.0);               // 1.56
}

// SI-DLA keeps the second invariant, and its energy grows exponentially, with the rate 0.027 h^2.
TEST(Gearbox, EnergyOfSiDlaGrowsExponentially) {
  const Trajectory early = gearbox("si-dla", 40'000), late = gearbox("si-dla", 50'000);
  const double rate = std::log(late.energy->final / early.energy->final) / 10'000;
  EXPECT_NEAR(rate / 0.01, 0.0273, 3e-4);  // 0.02734
  EXPECT_NEAR(pendulum_energy(late), 4.125, 0.02);
  EXPECT_LT(*late.constraint_velocity, 1e-12);  // 2.8e-14
}

TEST(QuarticParticles, OnlyDiscreteGradientsKeepTheEnergy) {
  const auto run = [](const char* system, const char* method, double h) {
    Options options;
    options.method = method;
    options.step = h;
    options.until = 1000.0;
    options.record_multipliers = false;
    return simulate(shipped(system, {{"j", "3"}}), options);
  };
  for (const char* method : {"dg-gonzalez", "dg-avf"}) {
    const Trajectory t = run("quartic-reduced", method, 0.1);
    EXPECT_LT(t.energy->max_error / t.energy->initial, 3.5e-15) << method;  // 9e-16, 9e-16
  }
  for (const char* method : {"si-dla", "i-dla", "spark-lobatto-ab"}) {
    const Trajectory t = run("quartic-particles", method, 0.1);
    EXPECT_GT(t.energy->max_error / t.energy->initial, 1e-3) << method;
    EXPECT_LT(t.constraint_midpoint.value_or(*t.constraint_velocity), 2e-13)
        << method;  // 5.1e-14 i-dla, 7e-16 the others
  }
  const Trajectory r = run("quartic-particles", "gonzalez-r", 0.1);
  EXPECT_LT(r.energy->max_error / r.energy->initial, 3.5e-15);  // 5.8e-16
  EXPECT_LT(*r.constraint_velocity, 4e-15);
}

}  // namespace
}  // namespace rattleback::testing
