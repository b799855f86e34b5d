// Expressions written as people would write them.
#include "expr/tidy.hpp"

#include <gtest/gtest.h>

#include "model/grammar/expression.hpp"
#include "model/grammar/formula.hpp"
#include "rattleback/error.hpp"

namespace rattleback {
namespace {

// Of an expression of x, y, theta, their velocities, and the parameters m = 1, l = 0.7, k = 3.
std::string tidy(const std::string& text) {
  const Model model = parse_model(
      "coordinates = ['x', 'y', 'theta']\n[parameters]\nm = 1\nl = 0.7\nk = 3\n[lagrangian]\nkinetic = \"(x'^2 + y'^2 "
      "+ "
      "theta'^2)/2\"\n",
      "m.toml");
  Graph g = *model.graph;
  const NodeId id = read_expression(model, g, "test", "a formula", text);
  std::string out = TidyText(g, {"m", "l", "k"}, [&](const Node& n) {
    if (n.space == kTime) return std::string("t");
    return model.coordinates[n.base()] + (n.space == kVelocity ? "'" : "");
  })(id);
  EXPECT_NO_THROW(front::Formula("test", "what was written", out)) << out;
  return out;
}

TEST(Tidy, KeepsNamesOfParameters) {
  EXPECT_EQ(tidy("m*l^2*theta'"), "m*l^2*theta'");
  EXPECT_EQ(tidy("x/m"), "x/m");
  EXPECT_EQ(tidy("(k + m)*x"), "x*(k + m)");
}

TEST(Tidy, CollectsLikeTerms) {
  EXPECT_EQ(tidy("x + y + x"), "2*x + y");
  EXPECT_EQ(tidy("x*y - y*x"), "0");
  EXPECT_EQ(tidy("(x + y)^2 - x^2 - y^2"), "2*y*x");
  EXPECT_EQ(tidy("m*(x' + x')/2"), "m*x'");
  EXPECT_EQ(tidy("-x + y"), "y - x");
  EXPECT_EQ(tidy("-x"), "-x");
}

TEST(Tidy, PutsWhatTermsHaveInCommonInFront) {
  EXPECT_EQ(tidy("m*x'^2/2 + m*y'^2/2"), "m*(x'^2 + y'^2)/2");
  EXPECT_EQ(tidy("l*cos(theta)*x - l*cos(theta)*y"), "l*cos(theta)*(x - y)");
}

TEST(Tidy, KnowsTheCircle) {
  EXPECT_EQ(tidy("m*cos(theta)^2*x + m*sin(theta)^2*x"), "m*x");
  EXPECT_EQ(tidy("(cos(theta)*x' + sin(theta)*y')^2 + (cos(theta)*y' - sin(theta)*x')^2"), "x'^2 + y'^2");
  EXPECT_EQ(tidy("sin(-theta) + cos(-theta)"), "cos(theta) - sin(theta)");
}

TEST(Tidy, DividesAndCancels) {
  EXPECT_EQ(tidy("x*y/y"), "x");
  EXPECT_EQ(tidy("(x*y + x)/(y + 1)"), "x");
  EXPECT_EQ(tidy("1/(x + y)"), "1/(x + y)");
  EXPECT_EQ(tidy("x/(2*m*(x + y))"), "x/(2*m*(x + y))");
  EXPECT_EQ(tidy("(x + y)^-2"), "1/(x^2 + 2*y*x + y^2)");
}

TEST(Tidy, LeavesFunctionsAndPiecesWhole) {
  EXPECT_EQ(tidy("sqrt(x^2 + y^2) - l"), "sqrt(x^2 + y^2) - l");
  EXPECT_EQ(tidy("if(x < 0, -x, x^2)"), "if(x < 0, -x, x^2)");
  EXPECT_EQ(tidy("x^0.5*y"), "y*sqrt(x)");
  EXPECT_EQ(tidy("atan2(y, x) + exp(-t)"), "atan2(y, x) + exp(-t)");
}

}  // namespace
}  // namespace rattleback
