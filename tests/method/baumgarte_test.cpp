// What docs/methods/baumgarte.md says, and that all baselines take holonomic constraints, also ones that depend on time.
// Numbers at line ends: measured.
#include <gtest/gtest.h>

#include <cmath>

#include "bind/baselines.hpp"
#include "rattleback/error.hpp"
#include "support/properties.hpp"

namespace rattleback::testing {
namespace {

Maker baseline(Baseline which, double rtol = 1e-6, double atol = 1e-9, double gain = kDefaultGain) {
  return [=](const System& system, const Start&) { return make_baseline(which, system, rtol, atol, gain); };
}

struct Residuals {
  double position = 0.0, velocity = 0.0;
};
Residuals worst(Motion& motion, double h, int steps) {
  Residuals out;
  for (int k = 0; k < steps; ++k) {
    motion.advance(h, 1);
    const System::Observation o = motion.observe();
    out.position = std::fmax(out.position, o.position);
    out.velocity = std::fmax(out.velocity, o.velocity);
  }
  return out;
}

// A bead on a ring that is swung: a holonomic constraint with t in it, next to a nonholonomic one that has t too.
Model swung_ring() {
  return parse_model(R"toml(
name = "swung ring"
coordinates = ["x", "y", "z"]
[lagrangian]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
potential = "y + z^2/2"
[constraints.holonomic]
ring = "(x - sin(2*t)/4)^2 + y^2 - 1"
[constraints.nonholonomic]
drive = "z' - y*x' - cos(t)/2"
[initial]
y = -1
z = 0.2
"x'" = 0.6
"z'" = "0.5 - x'"
)toml",
                     "ring.toml");
}

TEST(Baumgarte, KeepsConstraintErrorsBoundedWhereOdeDrifts) {
  Motion ode(shipped("pendulum"), baseline(Baseline::ode)), fed(shipped("pendulum"), baseline(Baseline::baumgarte));
  const Residuals ode_early = worst(ode, 0.1, 100), ode_late = worst(ode, 0.1, 1900);
  const Residuals early = worst(fed, 0.1, 100), late = worst(fed, 0.1, 1900);
  EXPECT_GT(ode_late.position, 50 * ode_early.position);  // 1.4e-6, 2.4e-4
  EXPECT_GT(ode_late.velocity, 5 * ode_early.velocity);   // 3.5e-7, 3.7e-6
  EXPECT_LT(late.position, 2 * early.position);           // 4.8e-8, 6.5e-8
  EXPECT_LT(late.velocity, 2 * early.velocity);           // 3.4e-7, 4.3e-7
  EXPECT_LT(late.position, 0.01 * ode_late.position);
  // It is feedback, not a projection: far from rounding.
  EXPECT_GT(late.position, 1e-10);
}

TEST(Baumgarte, FeedsBackNonholonomicConstraintsToo) {
  Motion ode(shipped("rolling-disk"), baseline(Baseline::ode)),
      fed(shipped("rolling-disk"), baseline(Baseline::baumgarte));
  const Residuals ode_early = worst(ode, 0.1, 100), ode_late = worst(ode, 0.1, 4900);
  const Residuals early = worst(fed, 0.1, 100), late = worst(fed, 0.1, 4900);
  EXPECT_GT(ode_late.velocity, 20 * ode_early.velocity);  // 4.1e-9, 2.2e-7
  EXPECT_LT(late.velocity, 2 * early.velocity);           // 5.4e-8, 7.7e-8
  EXPECT_GT(late.velocity, 1e-12);
}

// An error that is put in decays at the rate G: critically damped for holonomic constraints.
TEST(Baumgarte, LetsAnErrorDecayWithTheGain) {
  for (const double gain : {2.0, 10.0}) {
    Motion motion(swung_ring(), baseline(Baseline::baumgarte, 1e-11, 1e-13, gain));
    std::vector<double> q = motion.start.q;
    q[1] -= 1e-3;
    std::vector<double> v = motion.start.v;
    v[2] = 0.5 + q[1] * v[0] + 1e-3;  // off by 1e-3
    motion.stepper->start(0.0, q, v, motion.start.multipliers, motion.start.acceleration);
    const double g0 = motion.observe().position;
    const double t = 1.0 / gain;
    motion.advance(t, 1);
    const double ratio = motion.observe().position / g0;
    EXPECT_NEAR(ratio, 2.0 / std::exp(1.0), 1e-3) << gain;  // (1 + G t) exp(-G t), k(0) = 0
  }
}

TEST(Baselines, TakeConstraintsThatDependOnTime) {
  const Motion::State reference = [] {
    Motion motion(swung_ring(), baseline(Baseline::ode, 1e-13, 1e-15));
    motion.advance(0.5, 4);
    return motion.state();
  }();
  for (const Baseline which : {Baseline::ode, Baseline::index1, Baseline::baumgarte}) {
    Motion motion(swung_ring(), baseline(which, 1e-9, 1e-12));
    motion.advance(0.5, 4);
    const Motion::State s = motion.state();
    double q = 0.0, lambda = 0.0;
    for (std::size_t i = 0; i < s.q.size(); ++i) q = std::fmax(q, std::fabs(s.q[i] - reference.q[i]));
    for (std::size_t i = 0; i < s.multipliers.size(); ++i)
      lambda = std::fmax(lambda, std::fabs(s.multipliers[i] - reference.multipliers[i]));
    EXPECT_LT(q, 1e-6) << static_cast<int>(which);
    EXPECT_LT(lambda, 1e-5) << static_cast<int>(which);
    EXPECT_LT(motion.observe().position, 1e-6);
  }
}

TEST(Baumgarte, WithoutGainIsOde) {
  Motion ode(swung_ring(), baseline(Baseline::ode)), fed(swung_ring(), baseline(Baseline::baumgarte, 1e-6, 1e-9, 0.0));
  ode.advance(0.1, 20);
  fed.advance(0.1, 20);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(ode.stepper->q()[i], fed.stepper->q()[i]);
}

TEST(Baumgarte, RefusesAGainWithoutMeaning) {
  const Model model = shipped("pendulum");
  const System system(model);
  EXPECT_THROW(make_baseline(Baseline::baumgarte, system, 1e-6, 1e-9, -1.0), Error);
  EXPECT_THROW(make_baseline(Baseline::baumgarte, system, 1e-6, 1e-9, std::nan("")), Error);
}

}  // namespace
}  // namespace rattleback::testing
