// Constants that are made of parameters: other values can be put in, and what would have been decided otherwise is seen.
#include "expr/parameters.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "expr/evaluator.hpp"

namespace rattleback::testing {
namespace {

using Values = std::vector<double>;

// m*g*x + g/m - cos(k)*x, with the parameters m, g, k.
NodeId example(Graph& g, const Values& p) {
  const NodeId m = g.parameter(0, p[0]), gravity = g.parameter(1, p[1]), k = g.parameter(2, p[2]);
  const NodeId x = g.variable(kPosition, 0);
  NodeId e = g.add(g.mul(g.mul(m, gravity), x), g.div(gravity, m));
  return g.sub(e, g.mul(g.unary(Op::cos, k), x));
}

double value_at(const Graph& g, NodeId e, double x) { return Evaluator(g, std::span(&e, 1), 1, 0)(0.0, Values{x})[0]; }

TEST(Parameters, OtherValuesGiveTheBitsOfAGraphThatWasMadeWithThem) {
  const Values before = {3.0, 9.81, 0.25}, after = {0.7, 1.62, 1.3};
  Graph g, fresh;
  const NodeId e = example(g, before), f = example(fresh, after);
  Evaluator program(g, std::span(&e, 1), 1, 0);
  program.set_parameters(after);
  EXPECT_EQ(program(0.0, Values{1.7})[0], value_at(fresh, f, 1.7));
  ASSERT_TRUE(g.set_parameters(after, {}));
  EXPECT_EQ(value_at(g, e, 1.7), value_at(fresh, f, 1.7));
  EXPECT_EQ(e, f);  // the same formula, node by node
  EXPECT_EQ(g.size(), fresh.size());
}

TEST(Parameters, AreNumbersOfTheFormulaOnly) {
  Graph g;
  const NodeId x = g.variable(kPosition, 0);
  EXPECT_EQ(g.mul(g.parameter(0, 0.0), x), g.zero());   // no friction
  EXPECT_NE(g.mul(g.parameter(1, 1.0), x), x);          // what is 1 now may be 2 later,
  EXPECT_NE(g.parameter(1, 1.0), g.parameter(2, 1.0));  // or differ
  EXPECT_EQ(g.mul(g.constant(1.0), x), x);
  EXPECT_EQ(value_at(g, g.div(x, g.parameter(3, 4.0)), 3.0), 0.75);
}

TEST(Parameters, WhatWouldBeDecidedOtherwiseIsSeenAndNothingIsChanged) {
  const auto accepts = [](double was, double is) {
    Graph g;
    const NodeId e = g.mul(g.sub(g.parameter(0, was), g.constant(2.0)), g.variable(kPosition, 0));
    const double before = value_at(g, e, 1.5);
    const bool good = g.set_parameters(Values{is}, {});
    EXPECT_EQ(value_at(g, e, 1.5), good ? (is - 2.0) * 1.5 : before);
    EXPECT_EQ(ParameterSlots(g, {}, true).numbers(Values{is}).has_value(), good);
    return good;
  };
  EXPECT_TRUE(accepts(3.0, 5.0));
  EXPECT_TRUE(accepts(0.5, 1.0));
  EXPECT_FALSE(accepts(3.0, 2.0));  // k - 2 vanishes
  EXPECT_FALSE(accepts(2.0, 3.0));  // and comes back
  EXPECT_FALSE(accepts(3.0, 1.0));  // its sign
  EXPECT_FALSE(accepts(0.0, 1.0));  // of k itself
  EXPECT_FALSE(accepts(3.0, INFINITY));
}

TEST(Parameters, ExponentsAndPlacesOfTablesDecideByTheirValue) {
  Graph g;
  const NodeId x = g.variable(kPosition, 0);
  const NodeId square = g.binary(Op::pow, x, g.parameter(0, 2.0));
  EXPECT_EQ(square, g.mul(x, x));
  EXPECT_FALSE(g.set_parameters(Values{3.0}, {}));
  EXPECT_TRUE(g.set_parameters(Values{2.0}, {}));

  Graph h;
  const std::uint32_t table = h.add_table({0.0, 1.0, 5.0, 7.0});
  EXPECT_TRUE(h.is_constant(h.lookup(table, h.parameter(0, 0.5)), 6.0));
  EXPECT_FALSE(h.set_parameters(Values{0.25}, {}));
}

// Numbers that are computed together, such as the inverse of a matrix.
void reciprocals(std::span<const double> from, std::span<double> to) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = from[i] < 100.0 ? 1.0 / from[i] : std::nan("");
}

TEST(Parameters, NumbersThatAreComputedTogetherFollow) {
  Graph g;
  const std::vector<NodeId> from = {g.parameter(0, 2.0), g.constant(4.0),
                                    g.mul(g.parameter(1, 3.0), g.parameter(0, 2.0))};
  const std::vector<NodeId> all = g.computed(reciprocals, from, 3);
  EXPECT_EQ(g[all[2]].value, 1.0 / 6.0);
  EXPECT_EQ(g.computed(reciprocals, from, 3), all);
  ASSERT_TRUE(g.set_parameters(Values{5.0, 3.0}, {}));
  EXPECT_EQ(g[all[0]].value, 0.2);
  EXPECT_EQ(g[all[1]].value, 0.25);
  EXPECT_EQ(g[all[2]].value, 1.0 / 15.0);
  EXPECT_FALSE(g.set_parameters(Values{500.0, 3.0}, {}));  // has no value then
  EXPECT_FALSE(g.is_made(g.computed(reciprocals, std::vector<NodeId>{g.constant(8.0)}, 1)[0]));
}

TEST(Parameters, RoundingErrorsFollow) {
  // 1e10 + k - 1e10 with a k that was rounded.
  const auto error_of = [](Graph& g, NodeId e) { return g.constant_error(e); };
  Graph g;
  const NodeId e = g.sub(g.add(g.constant(1e10), g.parameter(0, 0.5, 1e-16)), g.constant(1e10));
  const double before = error_of(g, e);
  EXPECT_GT(before, 1e-6);
  ASSERT_TRUE(g.set_parameters(Values{1.0}, Values{1e-3}));
  EXPECT_GT(error_of(g, e), 1e-3);
}

// An input is no constant: nothing is folded of it, and any number will do.
TEST(Parameters, InputsTakeAnyValue) {
  Graph g;
  const NodeId u = g.input(1, 0.0), x = g.variable(kPosition, 0);
  EXPECT_EQ(g.input(1, 0.0), u);
  EXPECT_NE(g.mul(u, x), g.zero());
  const NodeId e = g.add(g.mul(g.parameter(0, 2.0), x), g.mul(u, x));
  const Entries slope = gradient(g, e, kPosition);
  ASSERT_EQ(slope.size(), 1U);
  EXPECT_EQ(value_at(g, e, 3.0), 6.0);
  Evaluator program(g, std::span(&e, 1), 1, 0);
  for (const double value : {1.0, -1.0, 0.0, 4.0}) {
    const Values given = {2.0, value};
    ASSERT_TRUE(g.set_parameters(given, {}));
    EXPECT_EQ(value_at(g, e, 3.0), 6.0 + 3.0 * value);
    EXPECT_EQ(value_at(g, slope[0].expr, 3.0), 2.0 + value);
    program.set_parameters(given);
    EXPECT_EQ(program(0.0, Values{3.0})[0], 6.0 + 3.0 * value);
  }
  EXPECT_EQ(g.input(1, 0.0), u);  // found again with another value
  ASSERT_TRUE(g.set_parameters(Values{5.0}, {}));
  EXPECT_EQ(value_at(g, e, 3.0), 15.0 + 12.0);
  EXPECT_EQ(to_string(g, g.mul(u, x)), "input1 * s1[0+0i]");
}

}  // namespace
}  // namespace rattleback::testing
