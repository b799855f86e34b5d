// Other forms of a port-Hamiltonian system: the same motion, the same balance.
#include "system/port_hamiltonian/port_hamiltonian_transform.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "model/kinds/port_hamiltonian_structure.hpp"
#include "rattleback/error.hpp"
#include "rattleback/simulate.hpp"

namespace rattleback {
namespace {

// Everything depends on t: stiffness, inertia, damping and input.
constexpr const char* kTimeVarying = R"toml(
kind = "port-hamiltonian"
states = ["q", "v", "e"]
hamiltonian = "v^2/2 + (2 + sin(t))*(q^2/2 + q^4/4)"
[E]
"q,q" = 1
"v,v" = 1
[J]
"q,v" = 1
"v,e" = 1
[R]
"v,v" = "0.1 + t^2/100"
"e,e" = "1 + q^2"
[r]
q = "cos(t)*(q^2/2 + q^4/4)/((2 + sin(t))*(q + q^3))"
[z]
q = "(2 + sin(t))*(q + q^3)"
v = "v"
e = "e"
[B.push]
v = "1 + t/10"
[P.push]
e = 0.1
[S]
"push,push" = 0.5
[inputs]
push = "cos(2*t)"
[initial]
q = 1
v = 0.2
)toml";

Trajectory run(const Model& model, const std::string& method, int stages,
               const std::string& multiplier = "acceleration") {
  Options o;
  o.multiplier = multiplier;
  o.method = method;
  o.stages = stages;
  o.step = 0.05;
  o.steps = 40;
  return simulate(model, o);
}

TEST(Transform, AutonomousSystemMovesAlike) {
  const Model model = parse_model(kTimeVarying, "t.toml");
  const PortHamiltonian f(model), g = autonomous(f);
  EXPECT_FALSE(depends_on(g.graph, g.u, kTime));
  EXPECT_FALSE(depends_on(g.graph, g.z, kTime));
  std::vector<double> start = model.q0;
  start.push_back(0.0);
  EXPECT_FALSE(PortHamiltonianStructure(g).fault(0.0, start).has_value());
  const Model moved = with_system(model, g, start);
  for (const auto& [method, stages] : {std::pair("collocation-gauss", 3), std::pair("collocation-lobatto-iiic", 3)}) {
    const Trajectory a = run(model, method, stages), b = run(moved, method, stages);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(a.q[i], b.q[i], 1e-13) << method;
    EXPECT_NEAR(b.q[3], 2.0, 1e-14);
    EXPECT_NEAR(a.power_balance->supplied, b.power_balance->supplied, 1e-13);
    EXPECT_NEAR(a.power_balance->dissipated, b.power_balance->dissipated, 1e-13);
    EXPECT_NEAR(a.power_balance->stored, b.power_balance->stored, 1e-13);
  }
  for (const char* method : {"dg-gonzalez", "dg-avf"})  // E is not constant there: the correction does the work
    EXPECT_LT(run(moved, method, 0).power_balance->max_residual, 1e-14) << method;
}

TEST(Transform, LinearChangeOfVariablesKeepsMotionAndBalance) {
  const Model model = parse_model(kTimeVarying, "t.toml");
  const PortHamiltonian f(model);
  const std::vector<double> V = {1, 2, 0, 0, 3, -1, 0, 0, 2}, U = {2, 0, 0, 1, 1, 0, -1, 0, 0.5};
  const PortHamiltonian g = transformed(f, V, U);
  // V x~ = x: back substitution, V is upper triangular.
  const auto back = [&](std::vector<double> x) {
    x[2] /= 2.0;
    x[1] = (x[1] + x[2]) / 3.0;
    x[0] -= 2.0 * x[1];
    return x;
  };
  const std::vector<double> start = back(model.q0);
  EXPECT_FALSE(PortHamiltonianStructure(g).fault(0.3, start).has_value());
  // The algebraic state is mixed with the others, so E has no zero column any more: the start must be consistent by itself.
  const Trajectory first = run(model, "collocation-gauss", 3);
  std::vector<double> consistent(first.records.q.begin(), first.records.q.begin() + 3);
  const Model moved = with_system(model, g, back(consistent));
  for (const auto& [method, stages] : {std::pair("collocation-gauss", 3), std::pair("collocation-lobatto-iiic", 2)}) {
    // The method's own algebraic states: once mixed with the others, they are part of the state.
    const Trajectory a = run(model, method, stages, "stage"), b = run(moved, method, stages);
    EXPECT_NEAR(b.q[0] + 2 * b.q[1], a.q[0], 1e-12) << method;
    EXPECT_NEAR(3 * b.q[1] - b.q[2], a.q[1], 1e-12);
    EXPECT_NEAR(2 * b.q[2], a.q[2], 1e-11);
    EXPECT_NEAR(a.power_balance->supplied, b.power_balance->supplied, 1e-12);
    EXPECT_NEAR(a.power_balance->dissipated, b.power_balance->dissipated, 1e-12);
    EXPECT_NEAR(a.power_balance->stored, b.power_balance->stored, 1e-12);
  }
  EXPECT_THROW((void)transformed(f, V, std::vector<double>(9, 1.0)), Error);
}

}  // namespace
}  // namespace rattleback
