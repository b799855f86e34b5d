// The graph in long double, against the programs in double and against closed forms.
#include "expr/evaluate_exactly.hpp"

#include <gtest/gtest.h>

#include "expr/evaluator.hpp"

namespace rattleback {
namespace {

TEST(ExactValues, AgreeWithTheProgramsForEveryOperation) {
  Graph g;
  const Expr x(g, g.variable(kPosition, 0)), y(g, g.variable(kVelocity, 0)), z(g, g.variable(kMultiplier, 0)),
      t(g, g.variable(kTime, 0));
  const std::uint32_t table = g.add_table({0.0, 1.0, 3.0, 5.0, 6.0, 2.0});
  std::vector<NodeId> all;
  for (const Expr& e : {sin(x) - cos(y), tan(x) / (2 + y), asin(x) + acos(x), atan(y), sinh(x) * cosh(y), tanh(-x),
                        exp(x) + log(y), sqrt(y), abs(-x * y), pow(y, x), pow(y, 5.0), atan2(x, y), min(x, y),
                        max(x, y), hypot(x, y), where(less(x, y), x, z), where(less_equal(y, x), x, z * t)})
    all.push_back(e.id(g));
  all.push_back(g.unary(Op::sign, g.neg(x.id(g))));
  for (const double at : {-1.0, 0.5, 2.5, 4.0}) {
    all.push_back(g.lookup(table, (x + at).id(g)));
    all.push_back(g.lookup(table, (x + at).id(g), true));
  }
  Evaluator program(g, all, 1, 1);
  const double q[] = {0.3}, v[] = {1.7}, lambda[] = {-2.0};
  const auto expected = program(0.25, q, v, lambda);
  auto exact = exact_values<long double>(g, 0.25L, {0.3}, {1.7}, {-2.0});
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_NEAR(static_cast<double>(exact(all[i])), expected[i], 4e-15) << to_string(g, all[i]);
}

TEST(ExactValues, OfFamiliesAreThoseOfTheirMembers) {
  Graph g;  // sum of (i + 1) q_i q_(i+1), i = 0..3, and its gradient
  const NodeId a = g.variable(kPosition, 0, 1, 4), b = g.variable(kPosition, 1, 1, 4);
  const NodeId f = g.sum(g.mul(g.index(1, 1, 4), g.mul(a, b)), 4);
  auto exact = exact_values<long double>(g, 0.0L, {1, 2, 3, 4, 5});
  EXPECT_EQ(exact(f), 1 * 2 + 2 * 6 + 3 * 12 + 4 * 20);
  const auto slope = gradient(g, f, kPosition);
  EXPECT_EQ(exact.vector(slope, 5), (std::vector<long double>{2, 7, 16, 29, 16}));
}

TEST(ExactValues, HaveMoreDigitsThanDouble) {
  Graph g;
  const Expr x(g, g.variable(kPosition, 0));
  const NodeId f = ((1.0 - cos(x)) / (x * x)).id(g);
  auto exact = exact_values<long double>(g, 0.0L, {1e-4L});
  const long double right = 0.5L - 1e-8L / 24 + 1e-16L / 720;
  EXPECT_LT(std::fabs(exact(f) - right), 3e-12L);  // 5.4e-20/1e-8; in double 6e-9
}

}  // namespace
}  // namespace rattleback
