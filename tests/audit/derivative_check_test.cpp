// The derivative check finds what is wrong, and only that.
#include "audit/derivative_check.hpp"

#include <gtest/gtest.h>

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
      particle("sin(1e3*x)*exp(5*y)", "x = 0.3\ny = 2\n"),                                 // waves
      particle("1e12 + x*1e-3", "x = 0.3\n"),                                              // little beside the value
      particle("1e9*(x^2 + y^2 - 1)^2", "x = 0.6\ny = 0.8\n"),                             // stiff
      particle("if(sin(40*x) < 0.3, x^2, 1 + y)", "x = 0.6\ny = 0.8\n"),                   // jumps nearby
      particle("x^2", "x = 0\n", "[constraints.nonholonomic]\nc = \"x' - abs(y)*y'\"\n"),  // a kink in a constraint
  };
  for (const std::string& text : texts) models.push_back(parse_model(text, "test.toml"));
  for (const Model& model : models) EXPECT_LT(derivative_error(model), 1e-10) << model.text;  // 2e-15 at most
}

TEST(DerivativeCheck, FindsWhatIsWrong) {
  Graph g;
  const Expr x(g, g.variable(kPosition, 0)), y(g, g.variable(kPosition, 1)), dx(g, g.variable(kMultiplier, 0)),
      dy(g, g.variable(kMultiplier, 1));
  const Expr f = sin(x) * exp(y) + 2 * x;
  const auto error = [&](const Expr& derivative) {
    const DerivativePair pair = {{{f.id(g), 0, {}, {}}}, {{derivative.id(g), 0, {}, {}}}, 1, kPosition};
    return derivative_error(g, std::span(&pair, 1), {0.4, 0.3}, {});
  };
  const Expr right = (cos(x) * exp(y) + 2.0) * dx + sin(x) * exp(y) * dy;
  EXPECT_LT(error(right), 1e-14);
  EXPECT_GT(error(right + 1e-9 * dx), 1e-11);
  EXPECT_GT(error(right - 2 * sin(x) * exp(y) * dy), 0.1);             // a sign
  EXPECT_GT(error((cos(x) + 2.0) * dx + sin(x) * exp(y) * dy), 1e-2);  // a factor that was forgotten
  EXPECT_GT(error(Expr(0.0)), 0.5);
  const DerivativePair own = derivative_pair(g, {{f.id(g), 0, {}, {}}}, 1, kPosition);
  EXPECT_LT(derivative_error(g, std::span(&own, 1), {0.4, 0.3}, {}), 1e-14);
}

// Among so many rows that double must do, one that is wrong.
TEST(DerivativeCheck, FindsWhatIsWrongInLargeSystems) {
  Graph g;
  constexpr std::int32_t kSize = 30'000;
  const NodeId x = g.variable(kPosition, 0, 1, kSize);
  DerivativePair pair = derivative_pair(g, {{g.unary(Op::sin, g.mul(x, x)), kSize, {0, 1}, {}}}, kSize, kPosition);
  const std::vector<double> q(kSize, 0.7);
  EXPECT_LT(derivative_error(g, std::span(&pair, 1), q, {}), 1e-9);  // 0
  pair.derivative.push_back({g.mul(g.constant(1e-3), g.variable(kMultiplier, 77)), 0, {77, 0}, {}});
  EXPECT_GT(derivative_error(g, std::span(&pair, 1), q, {}), 1e-5);
}

}  // namespace
}  // namespace rattleback
