// Slopes of if, min, max, abs and hypot: those of the branch taken, whatever the other one is.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "expr/evaluate_exactly.hpp"
#include "expr/evaluator.hpp"
#include "expr/program.hpp"
#include "rattleback/expr.hpp"

namespace rattleback {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();

struct Case {
  const char* name;
  std::function<Expr(Expr, Expr)> f;      // with branches
  std::function<Expr(Expr, Expr)> taken;  // what it is at x = 0.1, y = 0.7
};

const Case kCases[] = {
    {"contact", [](const Expr& x, const Expr& y) { return where(less(x, 0.0), pow(-x, 2.5), 0.0) + x * y; },
     [](const Expr& x, const Expr& y) { return x * y; }},
    {"logarithm", [](const Expr& x, const Expr& y) { return where(less(y, 0.0), log(y - 1) / sqrt(-x), sin(x * y)); },
     [](const Expr& x, const Expr& y) { return sin(x * y); }},
    {"overflow", [](const Expr& x, const Expr& y) { return where(less(x, 0.0), exp(1e5 * y) * x, y / x); },
     [](const Expr& x, const Expr& y) { return y / x; }},
    {"quotient", [](const Expr& x, const Expr& y) { return y * where(less(x, 0.1), 1 / (x - 0.1), x * x); },
     [](const Expr& x, const Expr& y) { return y * x * x; }},
    {"one inside the other",
     [](const Expr& x, const Expr& y) {
       return where(less(x, 0.0), sqrt(-x), where(less(y, 0.5), asin(2 + x), where(less(0.0, y), y * x * x, log(-y))));
     },
     [](const Expr& x, const Expr& y) { return y * x * x; }},
    {"shared by two branches of one condition",
     [](const Expr& x, const Expr& y) {
       const Expr root = sqrt(-x) * y;
       return where(less(x, 0.0), root, 0.0) + where(less(x, 0.0), 2 * root, x) + y;
     },
     [](const Expr& x, const Expr& y) { return x + y; }},
    {"shared by two conditions",
     [](const Expr& x, const Expr& y) {
       const Expr root = pow(-x, 1.5) * y;
       return where(less(x, 0.0), root, 0.0) + 3 * where(less(x, -1.0), root * root, y) +
              where(less(x, 0.0), -root, x * y);
     },
     [](const Expr& x, const Expr& y) { return 3 * y + x * y; }},
    {"in both branches",
     [](const Expr& x, const Expr& y) {
       const Expr u = sin(x) * y;
       return where(less(x, 0.0), u * log(-x), u * u);
     },
     [](const Expr& x, const Expr& y) { return sin(x) * y * (sin(x) * y); }},
    {"least", [](const Expr& x, const Expr& y) { return min(y * y * y, 2 + sqrt(0.1 - x)) + max(x * y, log(x - 0.1)); },
     [](const Expr& x, const Expr& y) { return y * y * y + x * y; }},
    {"a condition that is a number", [](const Expr& x, const Expr& y) { return where(3 * x, x / y, log(-y)); },
     [](const Expr& x, const Expr& y) { return x / y; }},
    {"a number that is none",
     [](const Expr& x, const Expr& y) { return where(less(0.0, x), x * x * y, kNan * y * sin(kNan * x)); },
     [](const Expr& x, const Expr& y) { return x * x * y; }},
    {"a number that is none inside another branch",
     [](const Expr& x, const Expr& y) {
       return where(less(0.0, x), where(less(1.0, x), log(x - 1) * y, x * x * y), 1 / Expr(0.0) * x);
     },
     [](const Expr& x, const Expr& y) { return x * x * y; }},
    {"quotients of numbers that are none",
     [](const Expr& x, const Expr& y) {
       return where(less(x, 0.0), x / kNan, y) + where(less(x, 0.0), y / 4e-320, x * y) + max(y, x / 1e-320 * -1.0);
     },
     [](const Expr& x, const Expr& y) { return 2 * y + x * y; }},
    {"a number that is none in a comparison, too",
     [](const Expr& x, const Expr& y) { return y * less(kNan, x) + x * y + where(less(0.0, x), x * x, x * kNan); },
     [](const Expr& x, const Expr& y) { return x * y + x * x; }},
    {"a root in a comparison, too",
     [](const Expr& x, const Expr& y) {
       return y * less(sqrt(-x), x) + x * y + where(less(0.0, x), x * x, y * sqrt(-x));
     },
     [](const Expr& x, const Expr& y) { return x * y + x * x; }},
    {"an infinite number that vanishes elsewhere",
     [](const Expr& x, const Expr& y) { return x / kInfinity + x * y + where(less(0.0, x), x * x, y * kInfinity); },
     [](const Expr& x, const Expr& y) { return x * y + x * x; }},
    {"a divisor chosen by another condition",
     [](const Expr& x, const Expr& y) { return where(less(0.0, x), x * x * y, y / where(less(0.0, y), x - 0.1, 1.0)); },
     [](const Expr& x, const Expr& y) { return x * x * y; }},
    {"magnitude", [](const Expr& x, const Expr& y) { return abs(x - y) * x; },
     [](const Expr& x, const Expr& y) { return (y - x) * x; }},
    {"cone away from its tip", [](const Expr& x, const Expr& y) { return where(less(x, y), hypot(x, y), sqrt(x - y)); },
     [](const Expr& x, const Expr& y) { return sqrt(x * x + y * y); }},
};

// The function, its first, second and third derivatives, by sweeps, along a direction and as a difference of signs.
std::vector<NodeId> derivatives(Graph& g, NodeId f) {
  std::vector<NodeId> out = {f};
  const auto rows = [&](const Entries& entries, std::int32_t size) {
    std::vector<NodeId> all(static_cast<std::size_t>(size), g.zero());
    for (const Entry& e : entries) all[static_cast<std::size_t>(e.row.base)] = e.expr;
    return all;
  };
  const auto along = [&](NodeId e) {
    return tangent(g, e, [&](NodeId leaf) { return g[leaf].base() == 0 ? g.constant(0.8) : g.constant(-0.6); });
  };
  for (const NodeId d : rows(gradient(g, f, kPosition), 2)) {
    out.push_back(d);
    for (const NodeId second : rows(gradient(g, d, kPosition), 2)) {
      out.push_back(second);
      out.push_back(along(second));
    }
    out.push_back(along(d));
  }
  out.push_back(along(f));
  out.push_back(along(along(f)));
  for (const NodeId d : rows(gradient(g, along(f), kPosition), 2)) out.push_back(d);
  return out;
}

TEST(Branches, HaveTheSlopesOfTheBranchTaken) {
  for (const Case& c : kCases) {
    Graph g;
    const Expr x(g, g.variable(kPosition, 0)), y(g, g.variable(kPosition, 1));
    const std::vector<NodeId> ours = derivatives(g, c.f(x, y).id(g));
    const std::vector<NodeId> expected = derivatives(g, c.taken(x, y).id(g));
    ASSERT_EQ(ours.size(), expected.size());
    auto exact = exact_values<long double>(g, 0.0L, {0.1, 0.7});
    const double at[] = {0.1, 0.7};
    Evaluator program(g, ours, 2, 0);
    const auto value = program(0.0, at);
    // Lanes: the point of the case between others, at which other branches are taken.
    Assembler assembler(g);
    const auto q = static_cast<std::size_t>(assembler.place(kPosition, 2));
    const auto count = static_cast<std::int32_t>(ours.size());
    const auto out = static_cast<std::size_t>(assembler.reserve(count));
    Program lanes;
    for (std::int32_t i = 0; i < count; ++i)
      assembler.store(lanes, ours[static_cast<std::size_t>(i)], static_cast<std::int32_t>(out) + i);
    std::vector<double> w = assembler.image(4);
    const double points[4][2] = {{-0.2, 0.3}, {0.1, 0.7}, {-3.0, -0.5}, {0.1, 0.0}};
    for (std::size_t l = 0; l < 4; ++l)
      for (std::size_t i = 0; i < 2; ++i) w[(q + i) * 4 + l] = points[l][i];
    lanes.run_lanes<4>(w.data());
    for (std::size_t i = 0; i < ours.size(); ++i) {
      const auto right = static_cast<double>(exact(expected[i]));
      EXPECT_LE(std::fabs(exact(ours[i]) - exact(expected[i])), 4e-16L * (1 + std::fabs(exact(expected[i]))))
          << c.name << " " << i;
      EXPECT_NEAR(value[i], right, 2e-15 * (1 + std::fabs(right))) << c.name << " " << i;
      EXPECT_EQ(w[(out + i) * 4 + 1], value[i]) << c.name << " " << i;
    }
  }
}

TEST(Branches, OfFamiliesCountMemberByMember) {
  Graph g;  // c sum of if(x_i < 0, (-x_i)^2.5, if(x_i < 1, x_i, sqrt(x_i - 1))), c = x_100
  constexpr std::int32_t kSize = 100;
  const Expr x(g, g.variable(kPosition, 0, 1, kSize)), c(g, g.variable(kPosition, kSize));
  const Expr member = where(less(x, 0.0), pow(-x, 2.5) * log(c), where(less(x, 1.0), x, sqrt(x - 1.0)));
  const NodeId f = g.mul(c.id(g), g.sum(member.id(g), kSize));
  std::vector<long double> at;
  for (int i = 0; i < kSize; ++i) at.push_back(-1.05L + 0.031L * i);
  at.push_back(2.0L);
  auto exact = exact_values<long double>(g, 0.0L, at);
  const std::vector<long double> slope = exact.vector(gradient(g, f, kPosition), kSize + 1);
  long double all = 0.0L;
  for (std::size_t i = 0; i < kSize; ++i) {
    const long double z = at[i], right = z < 0   ? -2.5L * std::pow(-z, 1.5L) * std::log(2.0L)
                                         : z < 1 ? 1
                                                 : 0.5L / std::sqrt(z - 1);
    EXPECT_NEAR(static_cast<double>(slope[i] - 2 * right), 0.0, 1e-15) << i;
    all += z < 0 ? std::pow(-z, 2.5L) * (std::log(2.0L) + 1) : z < 1 ? z : std::sqrt(z - 1);
  }
  EXPECT_NEAR(static_cast<double>(slope[kSize] - all), 0.0, 1e-15);
  // Second derivatives along a direction, by rows of the family.
  const Entries second = jacobian(g, gradient(g, g.sum(member.id(g), kSize), kPosition), kPosition);
  auto again = exact_values<long double>(g, 0.0L, at);
  const std::vector<long double> hessian = again.matrix(second, kSize + 1, kSize + 1);
  for (std::size_t i = 0; i < kSize; ++i) {
    const long double z = at[i], right = z < 0   ? 3.75L * std::sqrt(-z) * std::log(2.0L)
                                         : z < 1 ? 0
                                                 : -0.25L / std::pow(z - 1, 1.5L);
    EXPECT_NEAR(static_cast<double>(hessian[i * (kSize + 1) + i] - right), 0.0,
                1e-13 * (1 + std::fabs(static_cast<double>(right))))
        << i;
  }
}

// A cone has no slope at its tip; 0 is taken there, as for abs.
TEST(Branches, TheTipOfAConeHasTheSlopeOfAMinimum) {
  Graph g;
  const Expr x(g, g.variable(kPosition, 0)), y(g, g.variable(kPosition, 1));
  std::vector<NodeId> all;
  for (const Expr& f : {hypot(x, y), abs(x) + abs(y)})
    for (const Entry& e : gradient(g, f.id(g), kPosition)) all.push_back(e.expr);
  Evaluator program(g, all, 2, 0);
  for (const double d : program(0.0, std::vector<double>{0.0, 0.0})) EXPECT_EQ(d, 0.0);
}

}  // namespace
}  // namespace rattleback
