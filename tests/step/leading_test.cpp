// The leading matrix: the same solutions as with the exact one, in few iterations; and the exact one where it is needed.
#include "step/leading.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace rattleback {
namespace {

using Scale = Equations::Scale;

// Two stages of a particle with a mass matrix, a force -k sin(q) and a constraint x + y^3 = const in each stage:
//   M(q0) (V_i - v0) = -h sum_j a_ij (k sin(q0 + h V_j) + K_j^T L_j),   K_i V_i = 0
// Unknowns V_1, V_2, L_1, L_2.
struct Stages {
  double a[2][2] = {{0.5, -0.5}, {0.5, 0.5}};
  Equations eq;

  explicit Stages(double stiffness, bool constant_mass) {
    Graph& g = eq.graph;
    eq.inputs = {{kPosition, 2}, {kVelocity, 2}, {kStepSize, 1}};
    const NodeId h = g.variable(kStepSize, 0), two = g.constant(2.0), quarter = g.constant(0.25);
    const auto q0 = [&](int k) { return g.variable(kPosition, k); };
    const auto V = [&](int i, int k) { return g.variable(kUnknown, 2 * i + k); };
    const auto L = [&](int i) { return g.variable(kUnknown, 4 + i); };
    const auto Q = [&](int i, int k) { return g.add(q0(k), g.mul(h, V(i, k))); };
    const auto K = [&](int i, int k) { return k == 0 ? g.one() : g.mul(g.constant(3.0), g.mul(Q(i, 1), Q(i, 1))); };
    const NodeId coupling = constant_mass ? quarter : g.mul(quarter, g.unary(Op::cos, q0(0)));
    const NodeId M[2][2] = {{two, coupling}, {coupling, g.one()}};
    for (int i = 0; i < 2; ++i)
      for (int k = 0; k < 2; ++k) {
        NodeId r = g.zero();
        for (int l = 0; l < 2; ++l) r = g.add(r, g.mul(M[k][l], g.sub(V(i, l), g.variable(kVelocity, l))));
        for (int j = 0; j < 2; ++j) {
          const NodeId force = g.mul(g.constant(stiffness), g.unary(Op::sin, Q(j, k)));
          r = g.add(r, g.mul(g.mul(g.constant(a[i][j]), h), g.add(force, g.mul(K(j, k), L(j)))));
        }
        add(r, Scale::state);
      }
    for (int i = 0; i < 2; ++i) add(g.add(g.mul(K(i, 0), V(i, 0)), g.mul(K(i, 1), V(i, 1))), Scale::state_per_step);
    for (int u = 0; u < 6; ++u) eq.results.push_back(g.variable(kUnknown, u));
  }
  void add(NodeId residual, Scale scale) {
    eq.residuals.push_back(residual);
    eq.scales.push_back(scale);
    eq.guesses.push_back(eq.graph.zero());
  }
};

struct Solved {
  SolveReport report;
  std::vector<double> x;
};

Solved solve(const Plan& plan, double h) {
  std::vector<double> w = plan.image();
  const auto put = [&](Space space, std::vector<double> values) {
    std::copy(values.begin(), values.end(), w.begin() + plan.slot(space));
  };
  put(kPosition, {0.3, 0.7});
  put(kVelocity, {-1.4, 0.9});
  put(kStepSize, {h});
  plan.guess(w.data());
  const Sizes sizes{.typical = {1.0, 1.0 / h}, .noise = {}};
  const SolveReport report = plan.solve(w.data(), sizes, {});
  return {report, {w.begin() + plan.result_slot(), w.begin() + plan.result_slot() + plan.result_count()}};
}

Plan exact_plan(Stages stages) {
  stages.eq.leading = false;
  return Plan(std::move(stages.eq));
}

TEST(LeadingMatrix, GivesTheSolutionOfTheExactMatrixToRounding) {
  for (const bool constant_mass : {true, false}) {
    const Plan leading(Stages(1.0, constant_mass).eq), exact = exact_plan(Stages(1.0, constant_mass));
    ASSERT_EQ(leading.blocks().size(), 1U);
    ASSERT_TRUE(leading.blocks()[0].leading.has_value());
    EXPECT_EQ(leading.blocks()[0].leading->size, 2);  // of 6 unknowns
    ASSERT_FALSE(exact.blocks()[0].leading.has_value());
    const Solved a = solve(leading, 0.02), b = solve(exact, 0.02);
    ASSERT_TRUE(a.report.ok && b.report.ok) << a.report.reason << b.report.reason;
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(a.x[i], b.x[i], (i < 4 ? 4e-15 : 4e-15 / 0.02)) << i;
    // Measured: 0.003 and 0.003.
    EXPECT_LT(a.report.contraction, 0.02);
    EXPECT_LE(a.report.iterations, b.report.iterations + 4);
  }
}

// A force so stiff that its neglect would never converge: (h^2 k = 40).
TEST(LeadingMatrix, GivesWayToTheExactMatrix) {
  const Plan leading(Stages(1e5, false).eq), exact = exact_plan(Stages(1e5, false));
  ASSERT_TRUE(leading.blocks()[0].leading.has_value());
  const Solved a = solve(leading, 0.02), b = solve(exact, 0.02);
  ASSERT_TRUE(b.report.ok) << b.report.reason;
  ASSERT_TRUE(a.report.ok) << a.report.reason;
}

// A coordinate without mass: its part of the matrix vanishes for h -> 0. It stays with the multipliers.
TEST(LeadingMatrix, KeepsACoordinateWhoseMassVanishes) {
  const auto massless = [] {
    Stages s(1.0, true);
    Graph& g = s.eq.graph;
    const NodeId h = g.variable(kStepSize, 0), V = g.variable(kUnknown, 1), L = g.variable(kUnknown, 4);
    s.eq.residuals[1] = g.sub(g.mul(h, g.add(V, g.mul(V, g.mul(V, V)))), g.mul(h, g.add(L, g.one())));
    return s;
  };
  const Plan leading(massless().eq), exact = exact_plan(massless());
  ASSERT_TRUE(leading.blocks()[0].leading.has_value());
  EXPECT_EQ(leading.blocks()[0].leading->size, 3);
  const Solved a = solve(leading, 0.02), b = solve(exact, 0.02);
  ASSERT_TRUE(a.report.ok && b.report.ok) << a.report.reason << b.report.reason;
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(a.x[i], b.x[i], 1e-12 * (1.0 + std::fabs(b.x[i]))) << i;
}

}  // namespace
}  // namespace rattleback
