// Slopes are difference quotients, without the cancellation.
#include "expr/slope.hpp"

#include <cmath>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "expr/evaluator.hpp"

namespace rattleback {
namespace {

struct Case {
  const char* name;
  std::function<Expr(Expr, Expr)> f;
};

const Case kCases[] = {
    {"polynomial", [](const Expr& x, const Expr& y) { return 3 * x * x * y - y * y / 3 + 2; }},
    {"energy", [](const Expr& x, const Expr& y) { return 0.5 * (y * (y / 3)) + 10 * sin(x); }},
    {"quotient", [](const Expr& x, const Expr& y) { return (x + 2 * y) / (3 + x * y); }},
    {"sine", [](const Expr& x, const Expr& y) { return sin(2 * x + y) * 10; }},
    {"cosine", [](const Expr& x, const Expr& y) { return cos(x * y) - y; }},
    {"tangent", [](const Expr& x, const Expr& y) { return tan(x / 3 + y / 5); }},
    {"exponential", [](const Expr& x, const Expr& y) { return exp(-x * x) * y; }},
    {"hyperbolic", [](const Expr& x, const Expr& y) { return sinh(x) * cosh(y) + tanh(x - y); }},
    {"root", [](const Expr& x, const Expr& y) { return sqrt(1 + x * x + y * y); }},
    {"hypotenuse", [](const Expr& x, const Expr& y) { return hypot(x + 3, y); }},
    {"logarithm", [](const Expr& x, const Expr& y) { return log(3 + x + y / 2); }},
    {"inverse functions", [](const Expr& x, const Expr& y) { return atan(x * 2) + asin(y / 4) + acos(x / 5); }},
    {"powers", [](const Expr& x, const Expr& y) { return pow(x, 5.0) + pow(3 + y, -2.0) + pow(4 + x, 1.5); }},
    {"power of both", [](const Expr& x, const Expr& y) { return pow(4 + x, y / 2); }},
    {"arc of both", [](const Expr& x, const Expr& y) { return atan2(x, 3 + y); }},
    {"choice", [](const Expr& x, const Expr& y) { return where(less(x, 2.0), x * y, y) + min(x, y) + max(x, 3 * y); }},
    {"contact", [](const Expr& x, const Expr& y) { return where(less(x, -4.0), pow(-4 - x, 2.5), 0.0) + log(3 + y); }},
    {"logarithm of a branch",
     [](const Expr& x, const Expr& y) { return where(less(-3.0, x), log(4 + x), sqrt(-3 - x)) * y; }},
    {"condition that is a number", [](const Expr& x, const Expr& y) { return where(x + 5, x * y, sqrt(-4 - y)); }},
    {"absolute", [](const Expr& x, const Expr& y) { return abs(x + 5) * y; }},
};

// f(b) - f(a) along the straight line, and quotients in one variable.
struct Slopes {
  explicit Slopes(const Case& c) {
    const Expr x(graph, graph.variable(kPosition, 0)), y(graph, graph.variable(kPosition, 1));
    f = c.f(x, y).id(graph);
    const NodeId a[] = {graph.variable(kPosition, 0), graph.variable(kPosition, 1)};
    const NodeId b[] = {graph.variable(kPosition, 2), graph.variable(kPosition, 3)};
    const NodeId d[] = {graph.variable(kPosition, 4), graph.variable(kPosition, 5)};  // b - a, given apart
    const auto whole = slope(graph, f, graph.one(), [&](NodeId leaf) {
      const auto i = static_cast<std::size_t>(graph[leaf].base());
      return Span{a[i], b[i], d[i]};
    });
    const auto first = slope(graph, f, d[0], [&](NodeId leaf) {
      const auto i = static_cast<std::size_t>(graph[leaf].base());
      return i == 0 ? Span{a[0], b[0], graph.one()} : Span{a[1], a[1], graph.zero()};
    });
    nodes = {whole.from, whole.to, whole.slope, first.from, first.to, first.slope};
  }
  std::vector<double> operator()(double ax, double ay, double dx, double dy) {
    Evaluator e(graph, nodes, 6, 0);
    const std::vector<double> at = {ax, ay, ax + dx, ay + dy, dx, dy};
    const auto v = e(0.0, at);
    return {v.begin(), v.end()};
  }
  Graph graph;
  NodeId f = 0;
  std::vector<NodeId> nodes;
};

TEST(Slope, IsTheDifferenceQuotient) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> spread(-1.0, 1.0);
  for (const Case& c : kCases) {
    Slopes s(c);
    for (int trial = 0; trial < 50; ++trial) {
      const double x = spread(random), y = spread(random), dx = spread(random), dy = spread(random);
      const auto v = s(x, y, dx, dy);
      const double size = 1.0 + std::fabs(v[0]) + std::fabs(v[1]);
      EXPECT_NEAR(v[2], v[1] - v[0], 1e-13 * size) << c.name;
      EXPECT_NEAR(v[5] * dx, v[4] - v[3], 1e-13 * size) << c.name;
    }
  }
}

// Near b = a the difference of two values has no digits left; the slope has all of them.
TEST(Slope, LosesNoDigitsNearTheDerivative) {
  for (const Case& c : kCases) {
    Slopes s(c);
    const auto derivative = [&](double x, double y) {
      Graph g = s.graph;
      NodeId d = g.zero();
      for (const Entry& e : gradient(g, s.f, kPosition))
        if (e.row.base == 0) d = e.expr;
      Evaluator e(g, std::span(&d, 1), 6, 0);
      return e(0.0, std::vector<double>{x, y, 0, 0, 0, 0})[0];
    };
    for (const double dx : {0.0, 1e-14, 1e-9, 1e-6}) {
      const double x = 0.37, y = -0.41;
      const auto v = s(x, y, dx, 0.0);
      const double middle = derivative(x + dx / 2, y);
      EXPECT_NEAR(v[5], middle, 2e-12 * (1.0 + std::fabs(middle))) << c.name << " " << dx;
      EXPECT_NEAR(v[2], v[5] * dx, 1e-15 * std::fabs(v[5] * dx) + 1e-30) << c.name << " " << dx;
    }
  }
}

// Newton's method needs its derivatives at b = a too.
TEST(Slope, HasFiniteDerivativesWhereTheEndsMeet) {
  for (const Case& c : kCases) {
    Slopes s(c);
    std::vector<NodeId> derivatives;
    for (const NodeId slope : {s.nodes[2], s.nodes[5]})
      for (const Entry& e : gradient(s.graph, slope, kPosition)) derivatives.push_back(e.expr);
    Evaluator e(s.graph, derivatives, 6, 0);
    for (const double x : e(0.0, std::vector<double>{0.3, 0.2, 0.3, 0.2, 0.0, 0.0}))
      EXPECT_TRUE(std::isfinite(x)) << c.name;
  }
}

}  // namespace
}  // namespace rattleback
