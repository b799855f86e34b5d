// What compiling a system of equations finds, and that solving it reaches rounding.
#include <gtest/gtest.h>

#include <cmath>

#include "linalg/dense.hpp"
#include "step/equations.hpp"

namespace rattleback {
namespace {

struct Built {
  Equations eq;
  Graph& g() { return eq.graph; }
  NodeId u(std::int32_t i) { return eq.graph.variable(kUnknown, i); }
  NodeId in(std::int32_t i) { return eq.graph.variable(kPosition, i); }
  void add(NodeId residual) {
    eq.residuals.push_back(residual);
    eq.scales.push_back(Equations::Scale::state);
    eq.guesses.push_back(eq.graph.zero());
  }
};

constexpr Sizes kScale{.typical = {1.0, 1.0}, .noise = {}};

TEST(Plan, SubstitutesExplicitUnknownsAndSolvesTheRestInBlocks) {
  Built b;
  b.eq.inputs = {{kPosition, 2}};
  Graph& g = b.g();
  b.add(g.sub(b.u(0), g.unary(Op::sin, b.in(0))));                             // explicit
  b.add(g.sub(g.mul(b.u(1), b.in(1)), g.add(b.u(0), b.in(0))));                // linear in u1
  b.add(g.sub(g.mul(b.u(2), b.u(2)), g.add(g.mul(b.u(1), b.u(1)), g.one())));  // nonlinear in u2 alone
  b.eq.guesses[2] = g.one();
  b.eq.results = {b.u(0), b.u(1), b.u(2)};
  const Plan plan(b.eq);
  ASSERT_EQ(plan.blocks().size(), 1U);  // u1 has a formula too: it is the only unknown of a linear equation
  EXPECT_FALSE(plan.blocks()[0].linear);
  EXPECT_EQ(plan.unknown_numbers()[0], 2);
  std::vector<double> w = plan.image();
  w[static_cast<std::size_t>(plan.slot(kPosition))] = 0.7;
  w[static_cast<std::size_t>(plan.slot(kPosition)) + 1] = 3.0;
  plan.guess(w.data());
  const SolveReport r = plan.solve(w.data(), kScale, {});
  ASSERT_TRUE(r.ok) << r.reason;
  const double* x = w.data() + plan.result_slot();
  EXPECT_DOUBLE_EQ(x[0], std::sin(0.7));
  EXPECT_DOUBLE_EQ(x[1], (std::sin(0.7) + 0.7) / 3.0);
  EXPECT_NEAR(x[2], std::sqrt(x[1] * x[1] + 1.0), 4e-16);
}

// m u0 + u1 + u2 = 1, u0 = 0, u0 + 1e-3 u3 = 2, u2 + c u3 = a: u1 has the coefficient -1/m in its own equation once u0 is put
// in, and u2 then -1/m + m/m^2, which is 0 or what rounding leaves of it. Nothing may be divided by that.
TEST(Plan, DoesNotDivideByWhatRoundingLeavesOfZero) {
  for (const double m : {0.1, 0.12, 0.3, 0.7, 1.1, 3.3}) {
    Built b;
    b.eq.inputs = {{kPosition, 2}};
    Graph& g = b.g();
    b.add(g.sub(g.add(g.add(g.mul(g.constant(m), b.u(0)), b.u(1)), b.u(2)), g.one()));
    b.add(b.u(0));
    b.add(g.sub(g.add(b.u(0), g.mul(g.constant(1e-3), b.u(3))), g.constant(2.0)));
    b.add(g.sub(g.add(b.u(2), g.mul(b.in(1), b.u(3))), b.in(0)));
    b.eq.results = {b.u(0), b.u(1), b.u(2), b.u(3)};
    const Plan plan(b.eq);
    std::vector<double> w = plan.image();
    w[static_cast<std::size_t>(plan.slot(kPosition))] = 5.0;
    w[static_cast<std::size_t>(plan.slot(kPosition)) + 1] = 1e-3;
    plan.guess(w.data());
    ASSERT_TRUE(plan.solve(w.data(), kScale, {}).ok);
    const double* x = w.data() + plan.result_slot();
    EXPECT_NEAR(x[0], 0.0, 1e-14);  // 4e-15
    EXPECT_NEAR(x[1], -2.0, 1e-12) << m;
    EXPECT_NEAR(x[2], 3.0, 1e-12) << m;
    EXPECT_NEAR(x[3], 2000.0, 1e-9) << m;
  }
}

// Equations of very different size, and a matrix that loses digits: refined, each is satisfied to its own rounding errors.
TEST(Plan, RefinesLinearEquationsWhenAsked) {
  Built b;
  b.eq.inputs = {{kPosition, 1}};
  b.eq.eliminate = false;
  Graph& g = b.g();
  constexpr int kSize = 8;
  for (int i = 0; i < kSize; ++i) {  // a Hilbert matrix with scaled rows
    NodeId sum = g.neg(b.in(0));
    for (int j = 0; j < kSize; ++j)
      sum = g.add(sum, g.mul(g.constant(std::pow(10.0, 2 * i - 6) / (i + j + 1.0)), b.u(j)));
    b.add(sum);
  }
  for (int j = 0; j < kSize; ++j) b.eq.results.push_back(b.u(j));
  const Plan plan(b.eq);
  const auto worst = [&](bool refine) {
    std::vector<double> w = plan.image();
    w[static_cast<std::size_t>(plan.slot(kPosition))] = 1.0;
    plan.guess(w.data());
    EXPECT_TRUE(plan.solve(w.data(), kScale, {.refine = refine}).ok);
    const double* x = w.data() + plan.result_slot();
    double out = 0.0;
    for (int i = 0; i < kSize; ++i) {
      long double sum = -1.0L, terms = 1.0L;
      for (int j = 0; j < kSize; ++j) {
        const long double term = static_cast<long double>(std::pow(10.0, 2 * i - 6) / (i + j + 1.0)) * x[j];
        sum += term;
        terms += std::fabs(term);
      }
      out = std::fmax(out, static_cast<double>(std::fabs(sum) / terms));
    }
    return out;
  };
  EXPECT_LT(worst(true), 3e-16);
  EXPECT_LE(worst(true), worst(false));
}

// sin(a) is the guess of u0 and a term of its equation: the iteration must not overwrite the term.
TEST(Plan, KeepsAGuessApartFromAnEqualTermOfTheEquations) {
  Built b;
  b.eq.inputs = {{kPosition, 1}};
  Graph& g = b.g();
  const NodeId term = g.unary(Op::sin, b.in(0));
  b.add(g.sub(g.add(b.u(0), g.mul(b.u(0), g.mul(b.u(0), b.u(0)))), term));
  b.eq.guesses[0] = term;
  b.eq.results = {b.u(0)};
  const Plan plan(b.eq);
  std::vector<double> w = plan.image();
  w[static_cast<std::size_t>(plan.slot(kPosition))] = 0.7;
  plan.guess(w.data());
  ASSERT_TRUE(plan.solve(w.data(), kScale, {}).ok);
  const double u = w[static_cast<std::size_t>(plan.result_slot())];
  EXPECT_NEAR(u + u * u * u, std::sin(0.7), 2e-16);
}

// The first equation contains u1 but does not depend on it; the second uses the same term.
TEST(Plan, ForgetsTermsOfUnknownsThatALaterBlockSolvesFor) {
  Built b;
  b.eq.inputs = {{kPosition, 2}};
  Graph& g = b.g();
  const auto cube = [&](NodeId u) { return g.mul(u, g.mul(u, u)); };
  const NodeId term = g.mul(g.add(b.u(1), b.in(0)), b.in(1));
  b.add(g.sub(g.add(b.u(0), cube(b.u(0))), g.sub(term, g.mul(b.u(1), b.in(1)))));
  b.add(g.sub(g.add(cube(b.u(1)), term), b.u(0)));
  b.eq.guesses = {g.one(), g.one()};
  b.eq.results = {b.u(0), b.u(1)};
  const Plan plan(b.eq);
  ASSERT_EQ(plan.blocks().size(), 2U);
  std::vector<double> w = plan.image();
  const double a = 0.7, c = 1.3;
  w[static_cast<std::size_t>(plan.slot(kPosition))] = a;
  w[static_cast<std::size_t>(plan.slot(kPosition)) + 1] = c;
  plan.guess(w.data());
  ASSERT_TRUE(plan.solve(w.data(), kScale, {}).ok);
  const double* u = w.data() + plan.result_slot();
  EXPECT_NEAR(u[0] + u[0] * u[0] * u[0], a * c, 4e-16);
  EXPECT_NEAR(u[1] * u[1] * u[1] + (u[1] + a) * c, u[0], 4e-16);
}

TEST(Plan, ReachesRoundingOnACoupledNonlinearBlock) {
  Built b;
  Graph& g = b.g();
  b.eq.inputs = {{kPosition, 1}};
  const int n = 6;
  for (int i = 0; i < n; ++i) {
    NodeId r = g.sub(g.mul(g.constant(2.0 + i), b.u(i)), b.in(0));
    for (int j = 0; j < n; ++j)
      r = g.add(r, g.mul(g.constant(0.3 / (1 + i + j)), g.unary(Op::sin, g.mul(b.u(i), b.u(j)))));
    b.add(r);
  }
  for (int i = 0; i < n; ++i) b.eq.results.push_back(b.eq.residuals[static_cast<std::size_t>(i)]);
  const Plan plan(b.eq);
  ASSERT_EQ(plan.blocks().size(), 1U);
  std::vector<double> w = plan.image();
  w[static_cast<std::size_t>(plan.slot(kPosition))] = 1.0;
  plan.guess(w.data());
  const SolveReport r = plan.solve(w.data(), kScale, {});
  ASSERT_TRUE(r.ok) << r.reason;
  for (int i = 0; i < n; ++i) EXPECT_NEAR(w[static_cast<std::size_t>(plan.result_slot() + i)], 0.0, 5e-16) << i;
  EXPECT_LE(r.iterations, 8);  // 6
}

TEST(Plan, AnswersWithAReasonWhenThereIsNoSolution) {
  Built b;
  Graph& g = b.g();
  b.eq.inputs = {{kPosition, 1}};
  b.add(g.add(g.mul(b.u(0), b.u(0)), g.one()));  // u^2 + 1 = 0
  b.eq.guesses[0] = g.constant(0.3);
  b.eq.results = {b.u(0)};
  const Plan plan(b.eq);
  std::vector<double> w = plan.image();
  plan.guess(w.data());
  const SolveReport r = plan.solve(w.data(), kScale, {});
  EXPECT_FALSE(r.ok);
  EXPECT_STREQ(r.reason, "Newton's iteration did not converge");
}

TEST(Plan, SolvesALooseToleranceLooselyWhenAsked) {
  Built b;
  Graph& g = b.g();
  b.eq.inputs = {{kPosition, 1}};
  b.add(g.sub(g.mul(b.u(0), b.u(0)), g.constant(2.0)));
  b.eq.guesses[0] = g.one();
  b.eq.results = {b.u(0)};
  const Plan plan(b.eq);
  std::vector<double> w = plan.image();
  plan.guess(w.data());
  const SolveReport r = plan.solve(w.data(), kScale, {.tolerance = 0.1});
  EXPECT_TRUE(r.ok);
  const double error = std::fabs(w[static_cast<std::size_t>(plan.result_slot())] - std::sqrt(2.0));
  EXPECT_GT(error, 1e-6);  // 2.5e-3
  EXPECT_LT(error, 1e-2);
}

// A jump has no derivative, but it is part of the equation: neither substituted away nor taken for linear.
TEST(Plan, SeesUnknownsBehindJumps) {
  Built b;
  Graph& g = b.g();
  b.eq.inputs = {{kPosition, 1}};
  // u + sign(u - 3) = in: with in = 1 the solution is u = 2 (sign = -1), where putting u = 0 into the sign says so too;
  // with in = 6 it is u = 5 (sign = +1), where it does not.
  b.add(g.sub(g.add(b.u(0), g.unary(Op::sign, g.sub(b.u(0), g.constant(3.0)))), b.in(0)));
  b.eq.guesses[0] = b.in(0);
  b.eq.results = {b.u(0)};
  const Plan plan(b.eq);
  EXPECT_FALSE(plan.linear());
  for (const auto& [input, solution] : {std::pair(1.0, 2.0), std::pair(6.0, 5.0)}) {
    std::vector<double> w = plan.image();
    w[static_cast<std::size_t>(plan.slot(kPosition))] = input;
    plan.guess(w.data());
    ASSERT_TRUE(plan.solve(w.data(), kScale, {}).ok);
    EXPECT_DOUBLE_EQ(w[static_cast<std::size_t>(plan.result_slot())], solution);
  }
}

TEST(DenseFactor, HandlesRowsOfVeryDifferentSize) {
  // Rows scaled by 1e-12 and 1e9: equilibration keeps the pivots meaningful.
  const double A[] = {1e-12, 2e-12, 3e-12, 4e9, 5e9, 6e9, 7.0, 8.0, 10.0};
  const double x[] = {1.0, -2.0, 3.0};
  double b[3] = {}, lu[9], perm[3], scale[3], y[3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) b[i] += A[3 * i + j] * x[j];
  std::copy(A, A + 9, lu);
  ASSERT_TRUE(factor_in_place(lu, perm, scale, 3));
  solve_factored(lu, perm, scale, b, y, 3);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(y[i], x[i], 1e-13);  // 4e-15
}

TEST(DenseFactor, SaysWhenAMatrixIsSingular) {
  double lu[] = {1.0, 2.0, 2.0, 4.0}, perm[2], scale[2];
  EXPECT_FALSE(factor_in_place(lu, perm, scale, 2));
}

}  // namespace
}  // namespace rattleback
