// The derivative check finds what is wrong, and only that.
#include "audit/derivative_check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "rattleback/simulate.hpp"
#include "support/cases.hpp"

namespace rattleback {
namespace {

std::string particle(const std::string& potential, const std::string& start, const std::string& more = "") {
  return "coordinates = ['x', 'y']\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = '" + potential + "'\n" +
         more + "[initial]\n" + start;
}

TEST(DerivativeCheck, DoesNotCryWolf) {
  std::vector<Model> models = {
      load_model(testing::case_file("derivatives_false_alarm")),  // sums along a direction that nearly cancel
      load_model(testing::case_file("if_untaken_branch")),        // a branch that is no number
  };
  const std::vector<std::string> texts = {
      particle("if(x < 0, 7e3*x^2, 0) + abs(y)", "x = 0\n"),       // starts at its kinks
      particle("max(x, 3*y) + hypot(x, y)", "x = 0\n"),            // the same
      particle("-1/hypot(x - 1e-9, y)", "x = 3e-6\ny = -2e-6\n"),  // small units
      particle("-4e14/hypot(x, y)", "x = 7e6\ny = 1e5\n\"y'\" = 7600\n"),
      particle("sin(1e3*x)*exp(5*y)", "x = 0.3\ny = 2\n"),                // waves
      particle("1e12 + x*1e-3", "x = 0.3\n"),                             // little beside the value
      particle("1e9*(x^2 + y^2 - 1)^2", "x = 0.6\ny = 0.8\n"),            // stiff
      particle("if(sin(40*x) < 0.3, x^2, 1 + y)", "x = 0.6\ny = 0.8\n"),  // jumps nearby
      particle("sqrt(x^2 + 1e-6^2)", "x = 0\ny = 0.1\n"),                 // scales far below 1
      particle("sqrt((x - 1)^2 + 1e-5^2)", "x = 1\ny = 0.1\n"),
      particle("sqrt((x - 1)^2 + (y - 2)^2 + 1e-12)", "x = 1\ny = 2\n"),
      particle("log(cosh((x - 0.5)/1e-6))", "x = 0.5\n"),
      particle("cos(1e5*x)", "x = 0.3\n"),
      particle("tan(x)", "x = 1.5707\n"),  // poles
      particle("1/(x - 1)^12", "x = 1.0001\n"),
      particle("sqrt(x^2 + 1e-24) + y", "x = 1e-13\ny = 0.1\n"),
      particle("abs(x - 0.3 - 1e-12)*y", "x = 0.3\ny = 0.1\n"),
      particle("abs(x - 0.3 - 1e-16)*y", "x = 0.3\ny = 0.1\n"),
      particle("x + 1e-9*sin(1e9*x)", "x = 0.3\n"),
      particle("x^2", "x = 0\n", "[constraints.nonholonomic]\nc = \"x' - abs(y)*y'\"\n"),  // a kink in a constraint
  };
  for (const std::string& text : texts) models.push_back(parse_model(text, "test.toml"));
  for (const Model& model : models) EXPECT_LT(compare_derivatives(model).error, 1e-10) << model.text;  // 2e-15 at most
}

TEST(DerivativeCheck, FindsWhatIsWrong) {
  Graph g;
  const Expr x(g, g.variable(kPosition, 0)), y(g, g.variable(kPosition, 1)), dx(g, g.variable(kMultiplier, 0)),
      dy(g, g.variable(kMultiplier, 1));
  const Expr f = sin(x) * exp(y) + 2 * x;
  const auto error = [&](const Expr& derivative) {
    const DerivativePair pair = {{{f.id(g), 0, {}, {}}}, {{derivative.id(g), 0, {}, {}}}, 1, kPosition};
    return compare_derivatives(g, std::span(&pair, 1), {0.4, 0.3}, {}).error;
  };
  const Expr right = (cos(x) * exp(y) + 2.0) * dx + sin(x) * exp(y) * dy;
  EXPECT_LT(error(right), 1e-14);
  EXPECT_GT(error(right + 1e-9 * dx), 1e-11);
  EXPECT_GT(error(right - 2 * sin(x) * exp(y) * dy), 0.1);             // a sign
  EXPECT_GT(error((cos(x) + 2.0) * dx + sin(x) * exp(y) * dy), 1e-2);  // a factor that was forgotten
  EXPECT_GT(error(Expr(0.0)), 0.5);
  const DerivativePair own = derivative_pair(g, {{f.id(g), 0, {}, {}}}, 1, kPosition);
  EXPECT_LT(compare_derivatives(g, std::span(&own, 1), {0.4, 0.3}, {}).error, 1e-14);
}

double planted(const Expr& f, Graph& g, double relative, const std::vector<double>& q) {
  DerivativePair pair = derivative_pair(g, {{f.id(g), 0, {}, {}}}, 1, kPosition);
  for (Entry& e : pair.derivative) e.expr = g.mul(g.constant(1.0 + relative), e.expr);
  return compare_derivatives(g, std::span(&pair, 1), q, {}).error;
}

TEST(DerivativeCheck, FindsWhatIsWrongInStiffFunctions) {
  Graph g;
  const Expr x(g, g.variable(kPosition, 0)), y(g, g.variable(kPosition, 1));
  const std::vector<double> q = {0.3, 0.1};
  const Expr far = x - q[0], poles = x - q[0] - 1e-4;
  const Expr all[] = {
      sqrt((far + 1e-6) * (far + 1e-6) + 1e-12),
      sqrt((far + 1e-5) * (far + 1e-5) + y * y * 1e-10),
      log(cosh((far + 1e-6) / 1e-6)),
      cos(1e5 * x) + y,
      tan(x + (1.5707 - q[0])),
      1 / pow(poles, 12.0),
  };
  for (const Expr& f : all) {
    EXPECT_LT(planted(f, g, 0.0, q), 1e-10);  // 0
    EXPECT_GT(planted(f, g, 1e-4, q), 5e-5);
    EXPECT_GT(planted(f, g, -2.0, q), 0.5);  // a sign
  }
}

TEST(DerivativeCheck, DecidesFunctionsOfAllScales) {
  std::mt19937_64 random(11);
  const auto uniform = [&](double a, double b) { return a + (b - a) * static_cast<double>(random() >> 11U) * 0x1p-53; };
  int found = 0;
  constexpr int kFunctions = 400;
  for (int k = 0; k < kFunctions; ++k) {
    Graph g;
    const Expr x(g, g.variable(kPosition, 0)), y(g, g.variable(kPosition, 1));
    const double scale = std::pow(10.0, uniform(-7.0, 3.0)), middle = uniform(-2.0, 2.0);
    const std::vector<double> q = {middle + scale * uniform(-2.0, 2.0), uniform(-1.0, 1.0)};
    const Expr u = (x - middle) / scale;
    const Expr shapes[] = {sin(u),  tanh(u),           1 / (1 + u * u), log(cosh(u)), sqrt(1 + u * u), exp(-u * u),
                           atan(u), u * u * u - 2 * u, cos(u) * u,      1 / (3 + u),  hypot(u, 1.0)};
    Expr f = shapes[static_cast<std::size_t>(uniform(0.0, std::size(shapes)))];
    if (k % 3 == 1) f = f * (1 + y * y);
    if (k % 3 == 2) f = 100 * f + sin(y) * exp(x / 1e3);
    EXPECT_LT(planted(f, g, 0.0, q), 1e-8) << k << " " << scale;
    found += planted(f, g, 1e-4, q) > 1e-5 ? 1 : 0;
  }
  EXPECT_GE(found, kFunctions - 2);
  RecordProperty("found", found);
}

// Waves that no step resolves: no alarm, and no claim that anything was compared.
TEST(DerivativeCheck, SaysWhatIsUndetermined) {
  Graph g;
  const Expr x(g, g.variable(kPosition, 0));
  const DerivativePair pair = derivative_pair(g, {{cos(1e19 * x).id(g), 0, {}, {}}}, 1, kPosition);
  const DerivativeComparison c = compare_derivatives(g, std::span(&pair, 1), {1.0}, {});
  EXPECT_EQ(c.error, 0.0);
  EXPECT_EQ(c.decided, 0);
  EXPECT_EQ(c.undecided, 4);
}

// Among so many rows that double must do, one that is wrong.
TEST(DerivativeCheck, FindsWhatIsWrongInLargeSystems) {
  Graph g;
  constexpr std::int32_t kSize = 30'000;
  const NodeId x = g.variable(kPosition, 0, 1, kSize);
  DerivativePair pair = derivative_pair(g, {{g.unary(Op::sin, g.mul(x, x)), kSize, {0, 1}, {}}}, kSize, kPosition);
  const std::vector<double> q(kSize, 0.7);
  EXPECT_LT(compare_derivatives(g, std::span(&pair, 1), q, {}).error, 1e-9);  // 0
  pair.derivative.push_back({g.mul(g.constant(1e-3), g.variable(kMultiplier, 77)), 0, {77, 0}, {}});
  EXPECT_GT(compare_derivatives(g, std::span(&pair, 1), q, {}).error, 1e-5);
}

}  // namespace
}  // namespace rattleback
