// The expression language of models.md, through both evaluations: as a parameter (numbers) and in a force (graph).
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support.hpp"

namespace rattleback::test {
namespace {

std::string model_with(const std::string& key, const std::string& expression) {
  return "coordinates = [\"x\", \"y\"]\n[parameters]\na = 3\nb = 0.5\nk = [1, 2, 4]\nN = 3\n" +
         (key == "parameter" ? "value = \"" + expression + "\"\n" : "") +
         "[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\n[forces]\nx = \"" + (key == "force" ? expression : "0") + "\"\n";
}

double as_parameter(const std::string& expression) {
  return parse_model(model_with("parameter", expression), "m.toml").parameters.back().second;
}

// With x = 2, y = -1, x' = 0.25, y' = 3, t = 1.5.
double as_force(const std::string& expression) {
  const Model m = parse_model(model_with("force", expression), "m.toml");
  return m.forces.empty() ? 0.0 : value_of(m, m.forces.at(0).expr, 1.5, {2.0, -1.0}, {0.25, 3.0});
}

struct Case {
  const char* expression;
  double value;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.expression; }

class NumberGrammar : public testing::TestWithParam<Case> {};
TEST_P(NumberGrammar, GivesTheValue) {
  const auto [expression, value] = GetParam();
  EXPECT_DOUBLE_EQ(as_parameter(expression), value) << expression;
  EXPECT_DOUBLE_EQ(as_force(expression), value) << expression;
}

constexpr double kPi = std::numbers::pi;
INSTANTIATE_TEST_SUITE_P(
    Expressions, NumberGrammar,
    testing::Values(
        // numbers
        Case{"2", 2}, Case{".5", 0.5}, Case{"1e-3", 1e-3}, Case{"1.5E+2", 150}, Case{"2.", 2}, Case{"pi", kPi},
        Case{"0.1", 0.1},
        // precedence and associativity
        Case{"2 + 3*4", 14}, Case{"(2 + 3)*4", 20}, Case{"10 - 4 - 3", 3}, Case{"100/10/5", 2}, Case{"2^3^2", 512},
        Case{"-3^2", -9}, Case{"(-3)^2", 9}, Case{"2^-2", 0.25}, Case{"2^-2^2", 0.0625}, Case{"4*-2", -8},
        Case{"4/-2", -2}, Case{"3 - -2", 5}, Case{"--3", 3}, Case{"+3", 3}, Case{"-+-3", 3}, Case{"2*3^2", 18},
        Case{"6/2*3", 9}, Case{"1 - 2*3 + 4", -1}, Case{"-2*3", -6}, Case{"-(1 + 2)", -3}, Case{" ( ( 7 ) ) ", 7},
        // functions
        Case{"sin(pi/6)", std::sin(kPi / 6)}, Case{"cos(1)", std::cos(1.0)}, Case{"tan(1)", std::tan(1.0)},
        Case{"asin(0.5)", std::asin(0.5)}, Case{"acos(0.5)", std::acos(0.5)}, Case{"atan(2)", std::atan(2.0)},
        Case{"atan2(1, -2)", std::atan2(1.0, -2.0)}, Case{"sinh(1)", std::sinh(1.0)}, Case{"cosh(1)", std::cosh(1.0)},
        Case{"tanh(1)", std::tanh(1.0)}, Case{"exp(2)", std::exp(2.0)}, Case{"log(3)", std::log(3.0)},
        Case{"sqrt(2)", std::sqrt(2.0)}, Case{"abs(-3)", 3}, Case{"sign(-2)", -1}, Case{"sign(0)", 0},
        Case{"min(2, 3)", 2}, Case{"max(2, 3)", 3}, Case{"hypot(3, 4)", 5}, Case{"sqrt(16)^2", 16},
        // conditions
        Case{"if(1 < 2, 10, 20)", 10}, Case{"if(2 < 2, 10, 20)", 20}, Case{"if(2 <= 2, 10, 20)", 10},
        Case{"if(3 > 2, 10, 20)", 10}, Case{"if(2 >= 3, 10, 20)", 20}, Case{"if(a > b, a, b)", 3},
        Case{"1 + if(1 < 2, 1, 0)*2", 3},
        // parameters, arrays, sums
        Case{"a*b", 1.5}, Case{"k[2]", 2}, Case{"k[N]", 4}, Case{"k[N - 1]", 2}, Case{"k[2*N - 5]", 1},
        Case{"k[(N + 1)/2]", 2}, Case{"sum(i = 1:3, i)", 6}, Case{"sum(i = 1:N, k[i]^2)", 21},
        Case{"sum(i = 1:0, i)", 0}, Case{"sum(i = 3:2, k[i])", 0}, Case{"sum(i = 1:2, sum(j = 1:i, i*j))", 7},
        Case{"sum(i = -1:1, i^2)", 2}, Case{"2*sum(i = 2:2, i) + 1", 5}));

class MotionGrammar : public testing::TestWithParam<Case> {};
TEST_P(MotionGrammar, GivesTheValue) {
  const auto [expression, value] = GetParam();
  EXPECT_DOUBLE_EQ(as_force(expression), value) << expression;
}
INSTANTIATE_TEST_SUITE_P(Expressions, MotionGrammar,
                         testing::Values(Case{"x", 2}, Case{"-x^2", -4}, Case{"x'", 0.25}, Case{"y'^2", 9},
                                         Case{"x'*y", -0.25}, Case{"t", 1.5}, Case{"dt(x)", 0.25},
                                         Case{"dt(x^2*y)", 2 * 2 * 0.25 * -1 + 4 * 3.0}, Case{"dt(t^2)", 3},
                                         Case{"dt(sin(t)*x)", std::cos(1.5) * 2 + std::sin(1.5) * 0.25},
                                         Case{"dt(3)", 0}, Case{"if(x > y, x', y')", 0.25}, Case{"2^-y", 2},
                                         Case{"x*-y", 2}, Case{"hypot(x, y)", std::hypot(2, 1)}));

TEST(Grammar, TimeDerivativeOfADefinitionFollowsTheChainRule) {
  const Model m = parse_model(
      "coordinates = [\"theta\", \"s\"]\n[parameters]\nl = 2\n[define]\nxc = \"s + l*sin(theta)\"\nyc = "
      "\"-l*cos(theta)\"\n"
      "[lagrangian]\nkinetic = \"(dt(xc)^2 + dt(yc)^2)/2\"\npotential = \"9.81*yc\"\n",
      "m.toml");
  const double theta = 0.7, w = 1.3, u = -0.4, l = 2.0;
  const double expected = (std::pow(u + l * std::cos(theta) * w, 2) + std::pow(l * std::sin(theta) * w, 2)) / 2;
  EXPECT_NEAR(value_of(m, *m.kinetic, 0.0, {theta, 0.1}, {w, u}), expected, 1e-14);
}

TEST(Grammar, LongSumsAreNotDeep) {
  std::string terms = "x";
  for (int i = 0; i < 20'000; ++i) terms += " + x";
  const Model m = parse_model("coordinates = [\"x\"]\n[lagrangian]\nL = \"x'^2/2 - (" + terms + ")\"\n", "m.toml");
  EXPECT_NEAR(value_of(m, m.lagrangian, 0.0, {1.0}, {0.0}), -20'001.0, 1e-9);
}

TEST(Grammar, NamesMayHaveDigitsAndUnderscores) {
  const Model m = parse_model("coordinates = [\"x_1\", \"_y2\"]\n[lagrangian]\nL = \"x_1'^2/2 + _y2'^2\"\n", "m.toml");
  EXPECT_EQ(m.coordinates.all(), (std::vector<std::string>{"x_1", "_y2"}));
}

}  // namespace
}  // namespace rattleback::test
