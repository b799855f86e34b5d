// Systems that come to rest, start at rest, or nearly vanish. Velocities go to zero there while forces do not, energies
// differ by less than their own rounding errors, and squares underflow: none of that may stop a run.
#include <gtest/gtest.h>

#include <cmath>

#include "rattleback/simulate.hpp"
#include "support/motion.hpp"

namespace rattleback::testing {
namespace {

// A pendulum held off its lowest point by a constant torque.
Model damped_pendulum() {
  return parse_model(R"toml(
coordinates = ["th"]
[lagrangian]
kinetic = "th'^2/2"
potential = "9.81*(1 - cos(th))"
[dissipation]
rayleigh = "th'^2/2"
[forces]
th = "3"
[initial]
th = 0.5
)toml",
                     "damped_pendulum.toml");
}

// The same with ports, damping and torque as they are asked for.
Model port_pendulum(const std::string& damping, const std::string& torque, const std::string& start) {
  return parse_model(R"toml(
kind = "port-hamiltonian"
states = ["th", "om"]
hamiltonian = "om^2/2 + 9.81*(1 - cos(th))"
[E]
"th,th" = 1
"om,om" = 1
[J]
"th,om" = 1
[R]
"om,om" = )toml" + damping +
                         R"toml(
[z]
th = "9.81*sin(th)"
om = "om"
[B.push]
om = 1
[inputs]
push = )toml" + torque +
                         "\n[initial]\nth = " + start + "\n",
                     "port_pendulum.toml");
}

Trajectory run(const Model& model, const std::string& method, double step, double until) {
  Options options;
  options.method = method;
  options.step = step;
  options.until = until;
  return simulate(model, options);
}

TEST(Rest, IsReachedByDampedSystems) {
  for (const char* method : {"spark-gauss", "spark-lobatto-ab", "srk-gauss", "gonzalez-r", "gonzalez-f", "dg-avf",
                             "avf-collocation", "dg-itoh-abe", "collocation-gauss", "mclachlan-perlmutter"}) {
    SCOPED_TRACE(method);
    const Trajectory t = run(damped_pendulum(), method, 0.05, 300.0);
    ASSERT_EQ(t.status, Status::done) << t.message;  // before: stopped at t = 42 to 49
    EXPECT_NEAR(t.q[0], std::asin(3 / 9.81), 1e-14);
    EXPECT_LT(std::fabs(t.v[0]), 1e-13);
  }
}

TEST(Rest, IsReachedByDiscreteGradientsOnPortHamiltonianSystems) {
  for (const char* method : {"dg-gonzalez", "dg-avf"})
    for (const char* torque : {"0", "3"}) {
      SCOPED_TRACE(std::string(method) + " " + torque);
      const Trajectory t = run(port_pendulum("1", torque, "0.5"), method, 0.05, 300.0);
      ASSERT_EQ(t.status, Status::done) << t.message;  // before: stopped at t = 24 to 30
      EXPECT_NEAR(t.q[0], std::asin(std::stod(torque) / 9.81), 1e-14);
      EXPECT_LT(t.power_balance->max_residual, 1e-13 * t.power_balance->largest_energy);
    }
}

// 9.81 (1 - cos 1e-7) is 5e-14, and its value has an error of 1e-15: a difference of two values has two digits.
TEST(Rest, SmallOscillationsHaveAnExactPowerBalance) {
  for (const char* method : {"dg-gonzalez", "dg-avf"}) {
    const Trajectory t = run(port_pendulum("0", "0", "1e-7"), method, 0.02, 5.0);
    ASSERT_EQ(t.status, Status::done) << t.message;  // before: not one step
    EXPECT_LT(t.power_balance->max_residual, 1e-13 * 9.81 * 5e-15) << method;
  }
}

TEST(Rest, DecayDownToUnderflowDoesNotStopARun) {
  const Model model = parse_model(R"toml(
kind = "port-hamiltonian"
states = ["x"]
hamiltonian = "x^2/2 + x^4/4"
[E]
"x,x" = 1
[R]
"x,x" = 1
[z]
x = "x + x^3"
[initial]
x = 1
)toml",
                                  "decay.toml");
  for (const char* method : {"dg-gonzalez", "dg-avf", "collocation-gauss"}) {
    const Trajectory t = run(model, method, 0.05, 1000.0);
    EXPECT_EQ(t.status, Status::done) << method << ": " << t.message;  // before: stopped at t = 364 or 722
  }
}

TEST(Rest, AsAStartDoesNotSpoilTheReversalDefect) {
  Options options;
  options.method = "collocation-gauss";
  options.step = 0.02;
  options.until = 10.0;
  options.audit_reverse = true;
  const Trajectory t = simulate(port_pendulum("0", "\"sin(t)\"", "0"), options);
  EXPECT_LT(t.reverse_defect.value(), 1e-12);  // before: divided by a start of 0, 1e288
}

}  // namespace
}  // namespace rattleback::testing
