// The expression graph: sharing, simplification, derivatives, and families against their unrolled twins.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "expr/evaluator.hpp"
#include "rattleback/error.hpp"
#include "rattleback/expr.hpp"

namespace rattleback {
namespace {

double value(const Graph& g, NodeId f, std::span<const double> q, std::span<const double> v = {}, double t = 0.0) {
  const auto n = static_cast<std::int32_t>(std::max(q.size(), v.size()));
  Evaluator e(g, std::span(&f, 1), n, 0);
  return e(t, q, v)[0];
}

TEST(Graph, TheSameFormulaIsTheSameNode) {
  Graph g;
  const Expr x(g, g.variable(kPosition, 0)), y(g, g.variable(kPosition, 1));
  EXPECT_EQ((sin(x * y) + 1.0).id(g), (sin(y * x) + 1.0).id(g));
  EXPECT_EQ((2.0 * (3.0 * x)).id(g), (6.0 * x).id(g));
  EXPECT_EQ((x - x).id(g), g.zero());
  EXPECT_EQ((x * 1.0 + 0.0).id(g), x.id(g));
  EXPECT_EQ(sin(-x).id(g), (-sin(x)).id(g));
  EXPECT_NE((x - y).id(g), (y - x).id(g));
}

TEST(Graph, WholePowersAreProducts) {
  Graph g;
  const Expr x(g, g.variable(kPosition, 0));
  EXPECT_EQ(pow(x, 2.0).id(g), (x * x).id(g));
  const double at[] = {-1.5};
  EXPECT_DOUBLE_EQ(value(g, pow(x, 7.0).id(g), at), std::pow(-1.5, 7));
  EXPECT_DOUBLE_EQ(value(g, pow(x, -3.0).id(g), at), std::pow(-1.5, -3));
}

TEST(Graph, RefusesToGrowPastItsLimit) {
  Graph g;
  g.set_limit(100);
  Expr x(g, g.variable(kPosition, 0));
  EXPECT_THROW(
      {
        for (int i = 0; i < 200; ++i) x = sin(x) + static_cast<double>(i);
      },
      Error);
}

// Every operation, with its derivative, against a central difference extrapolated to fourth order.
TEST(Derivative, OfEveryOperationAgreesWithDifferences) {
  Graph g;
  const Expr x(g, g.variable(kPosition, 0)), y(g, g.variable(kPosition, 1));
  const std::vector<Expr> functions = {-x,
                                       sin(x),
                                       cos(x),
                                       tan(x),
                                       asin(x / 3.0),
                                       acos(x / 3.0),
                                       atan(x),
                                       sinh(x),
                                       cosh(x),
                                       tanh(x),
                                       exp(x),
                                       log(x + y),
                                       sqrt(x + 2.0),
                                       abs(x),
                                       x + y,
                                       x - y,
                                       x * y,
                                       x / y,
                                       pow(x + 2.0, y),
                                       pow(x, 3.0),
                                       pow(x + 2.0, 2.5),
                                       atan2(x, y),
                                       min(x, y),
                                       max(x, y),
                                       hypot(x, y),
                                       where(less(x, y), x * x, y),
                                       where(less_equal(y, x), x * x, sin(y))};
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(0.2, 1.5);
  for (std::size_t k = 0; k < functions.size(); ++k) {
    const NodeId f = functions[k].id(g);
    for (const int which : {0, 1}) {
      NodeId d = g.zero();
      for (const Entry& e : gradient(g, f, kPosition))
        if (e.row.base == which) d = e.expr;
      for (int trial = 0; trial < 20; ++trial) {
        double at[] = {uniform(random), uniform(random)};
        if (std::fabs(at[0] - at[1]) < 0.01) continue;  // the kinks of min, max and where
        const double exact = value(g, d, at);
        const auto difference = [&](double eps) {
          double plus[] = {at[0], at[1]}, minus[] = {at[0], at[1]};
          plus[which] += eps;
          minus[which] -= eps;
          return (value(g, f, plus) - value(g, f, minus)) / (2 * eps);
        };
        const double estimate = (4 * difference(1e-4) - difference(2e-4)) / 3;
        EXPECT_NEAR(exact, estimate, 1e-9 * (1 + std::fabs(estimate))) << "function " << k << " variable " << which;
      }
    }
  }
}

TEST(Derivative, AlongTheMotionIsTheChainRule) {
  Graph g;
  const Expr t(g, g.variable(kTime, 0)), x(g, g.variable(kPosition, 0)), v(g, g.variable(kVelocity, 0));
  const NodeId d = total_time_derivative(g, (sin(x) * t).id(g));
  EXPECT_EQ(d, (cos(x) * v * t + sin(x)).id(g));
}

// A chain-like energy as a loop and written out: values, gradients and second derivatives agree.
class Families : public ::testing::TestWithParam<int> {};

TEST_P(Families, AgreeWithTheirMembersWrittenOut) {
  const std::int32_t n = GetParam();
  Graph loop, flat;
  const auto body = [](Graph& g, NodeId a, NodeId b, NodeId weight) {
    const Expr x(g, a), y(g, b), w(g, weight);
    return (w * cos(x - y) + x * x * x * y + sqrt(1.0 + y * y)).id(g);
  };
  // sum over i of body(x[i], x[i+1], i+1), plus a factor in front that all members share.
  const NodeId looped_sum = loop.sum(
      body(loop, loop.variable(kPosition, 0, 1, n), loop.variable(kPosition, 1, 1, n), loop.index(1, 1, n)), n);
  const NodeId looped = loop.add(looped_sum, loop.mul(loop.variable(kPosition, 0), loop.variable(kPosition, n)));
  NodeId written = flat.zero();
  for (std::int32_t i = 0; i < n; ++i)
    written = flat.add(written,
                       body(flat, flat.variable(kPosition, i), flat.variable(kPosition, i + 1), flat.constant(i + 1)));
  written = flat.add(written, flat.mul(flat.variable(kPosition, 0), flat.variable(kPosition, n)));

  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<double> q(static_cast<std::size_t>(n) + 1);
  for (double& x : q) x = uniform(random);
  EXPECT_NEAR(value(loop, looped, q), value(flat, written, q), 1e-13 * n);

  const Entries a = gradient(loop, looped, kPosition), b = gradient(flat, written, kPosition);
  Evaluator ga(loop, a, n + 1, n + 1, 0), gb(flat, b, n + 1, n + 1, 0);
  const auto x = ga(0.0, q), y = gb(0.0, q);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-13 * 10) << i;

  // Second derivatives as dense matrices, through the affine places of their entries.
  const auto dense = [&](Graph& g, const Entries& f) {
    Entries placed;
    for (Entry e : jacobian(g, f, kPosition)) {
      e.row = {e.row.base * (n + 1) + e.col.base, e.row.stride * (n + 1) + e.col.stride};
      e.col = {};
      placed.push_back(e);
    }
    Evaluator h(g, placed, (n + 1) * (n + 1), n + 1, 0);
    const auto values = h(0.0, q);
    return std::vector<double>(values.begin(), values.end());
  };
  const auto ha = dense(loop, a), hb = dense(flat, b);
  for (std::size_t i = 0; i < ha.size(); ++i) EXPECT_NEAR(ha[i], hb[i], 1e-12) << i;
}
INSTANTIATE_TEST_SUITE_P(OfAllSizes, Families, ::testing::Values(1, 2, 15, 16, 17, 40));

TEST(Families, ThatNeedALoopInALoopSaySo) {
  Graph g;
  const NodeId s = g.sum(g.unary(Op::sin, g.variable(kPosition, 0, 1, 100)), 100);
  const NodeId f = g.mul(s, s);  // d2/dx_i dx_j is full
  const Entries first = gradient(g, f, kPosition);
  EXPECT_THROW(jacobian(g, first, kPosition), NeedsUnrolling);
}

// The lanes of a program: the same bits for any number of points at once.
TEST(Program, GivesTheSameBitsInAnyNumberOfLanes) {
  Graph g;
  const Expr x(g, g.variable(kPosition, 0)), y(g, g.variable(kPosition, 1));
  const NodeId f = (sin(x * y) * exp(-y) + x / (y * y + 1.0) - pow(x * x + 1.5, 0.3) + hypot(x, y)).id(g);
  const NodeId total = g.add(f, g.sum(g.mul(g.variable(kPosition, 0, 1, 2), g.index(3, 2, 2)), 2));
  Assembler a(g);
  const std::int32_t q = a.place(kPosition, 2);
  a.announce(std::span(&total, 1));
  Program program;
  const std::int32_t out = a.value(program, total);
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform(-3.0, 3.0);
  std::vector<double> one = a.image(1), eight = a.image(8);
  double xs[8], ys[8];
  for (int l = 0; l < 8; ++l) {
    xs[l] = uniform(random);
    ys[l] = uniform(random);
    eight[static_cast<std::size_t>(q * 8 + l)] = xs[l];
    eight[static_cast<std::size_t>((q + 1) * 8 + l)] = ys[l];
  }
  program.run_lanes<8>(eight.data());
  for (int l = 0; l < 8; ++l) {
    one[static_cast<std::size_t>(q)] = xs[l];
    one[static_cast<std::size_t>(q + 1)] = ys[l];
    program.run(one.data());
    EXPECT_EQ(one[static_cast<std::size_t>(out)], eight[static_cast<std::size_t>(out * 8 + l)]) << l;
  }
}

TEST(Graph, LookupIsPiecewiseLinearWithItsSlopeAsDerivative) {
  Graph g;
  const NodeId t = g.variable(kTime, 0);
  const std::uint32_t table = g.add_table({0, 1, 3, 5, 7, 3});  // at 0, 1, 3: 5, 7, 3
  const NodeId f = g.lookup(table, g.mul(g.constant(2.0), t));
  const NodeId df = gradient(g, f, kTime).front().expr;
  const double expected[][3] = {{-1, 5, 0}, {0, 5, 4}, {0.25, 6, 4}, {0.5, 7, -4}, {1, 5, -4}, {1.5, 3, 0}, {9, 3, 0}};
  for (const auto& [at, y, slope] : expected) {
    EXPECT_DOUBLE_EQ(value(g, f, {}, {}, at), y) << at;
    EXPECT_DOUBLE_EQ(value(g, df, {}, {}, at), slope) << at;
  }
  EXPECT_TRUE(gradient(g, df, kTime).empty() || g.is_constant(gradient(g, df, kTime).front().expr, 0.0));
  EXPECT_EQ(g.lookup(table, g.mul(g.constant(2.0), t)), f);
  EXPECT_EQ(g.lookup(table, g.constant(2.0)), g.constant(5.0));
  const NodeId moved = substitute(g, f, [&](NodeId) { return g.variable(kPosition, 0); });
  const double q[] = {0.25};
  EXPECT_DOUBLE_EQ(value(g, moved, q), 6.0);
  EXPECT_EQ(to_string(g, moved, [](const Node&) { return std::string("q"); }), "series0(2 * q)");
}

}  // namespace
}  // namespace rattleback
