// Functions of a model's own, accelerations in outputs, degrees.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "rattleback/error.hpp"
#include "rattleback/model.hpp"
#include "rattleback/simulate.hpp"
#include "study/random.hpp"

namespace rattleback::testing {
namespace {

std::string refusal(const std::string& text) {
  try {
    (void)parse_model(text, "model.toml");
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

constexpr const char* kByHand = R"toml(coordinates = ["x", "y", "th"]
parameters = { m = 2, a = 0.3, b = -0.2, J = 0.4, g = 9.81 }
[lagrangian]
kinetic = "m*((x' - (a*sin(th) + b*cos(th))*th')^2 + (y' + (a*cos(th) - b*sin(th))*th')^2)/2 + J*th'^2/2"
potential = "m*g*(y + a*sin(th) + b*cos(th))"
[initial]
"x'" = 1
"th'" = 3
)toml";

// The same point of the body, as a function.
constexpr const char* kByFunctions = R"toml(coordinates = ["x", "y", "th"]
parameters = { m = 2, a = 0.3, b = -0.2, J = 0.4, g = 9.81 }
[define]
"px(u, v)" = "x + u*cos(th) - v*sin(th)"
"py(u, v)" = "y + u*sin(th) + v*cos(th)"
"square(z)" = "z^2"
[lagrangian]
kinetic = "m*(square(dt(px(a, b))) + square(dt(py(a, b))))/2 + J*square(th')/2"
potential = "m*g*py(a, b)"
[initial]
"x'" = 1
"th'" = 3
)toml";

TEST(Functions, AreWhatTheyStandFor) {
  const Options options{.method = "spark-gauss", .stages = 3, .step = 0.02, .steps = 50, .native = "off"};
  const Trajectory a = simulate(parse_model(kByHand, "a.toml"), options),
                   b = simulate(parse_model(kByFunctions, "b.toml"), options);
  for (std::size_t i = 0; i < a.q.size(); ++i) EXPECT_NEAR(a.q[i], b.q[i], 1e-12);
  EXPECT_NEAR(a.energy->initial, b.energy->initial, 1e-12);
  // Arguments made of parameters stay inputs: another value is another motion, without another text.
  Options other = options;
  other.parameters = {{"a", 0.5}};
  const Trajectory c = simulate(parse_model(kByHand, "a.toml"), other),
                   d = simulate(parse_model(kByFunctions, "b.toml"), other);
  for (std::size_t i = 0; i < a.q.size(); ++i) EXPECT_NEAR(c.q[i], d.q[i], 1e-12);
  EXPECT_GT(std::fabs(a.q[1] - c.q[1]), 1e-3);
}

// Arguments may be indices, in families that are loops and in those that are not.
TEST(Functions, TakeIndicesAndStandInStarts) {
  const auto chain = [](const std::string& links, std::int32_t unroll_below) {
    return parse_model(R"toml(coordinates = ["x[1:N]"]
parameters = { N = )toml" + links +
                           R"toml( }
[define]
"stretch(i, c)" = "c*(x[i+1] - x[i])"
"half(z)" = "z^2/2"
"place(i)" = "i/10"
[lagrangian]
kinetic = "sum(i = 1:N, half(x[i]'))"
potential = "sum(i = 1:N-1, half(stretch(i, 2)))"
[initial]
"x[i=1:N]" = "sin(place(i)) + half(place(i))"
)toml",
                       "chain.toml", {.unroll_below = unroll_below});
  };
  const auto by_hand = [](const std::string& links) {
    return parse_model(R"toml(coordinates = ["x[1:N]"]
parameters = { N = )toml" + links +
                           R"toml( }
[lagrangian]
kinetic = "sum(i = 1:N, x[i]'^2/2)"
potential = "sum(i = 1:N-1, (2*(x[i+1] - x[i]))^2/2)"
[initial]
"x[i=1:N]" = "sin(i/10) + (i/10)^2/2"
)toml",
                       "chain.toml");
  };
  const Options options{.method = "spark-gauss", .stages = 2, .step = 0.05, .steps = 20, .native = "off"};
  const Trajectory right = simulate(by_hand("12"), options);
  for (const std::int32_t below : {4, 64}) {
    const Trajectory found = simulate(chain("12", below), options);
    for (std::size_t i = 0; i < right.q.size(); ++i) EXPECT_NEAR(found.q[i], right.q[i], 1e-13) << below;
  }
}

TEST(Functions, FaultsSayWhatAndWhere) {
  const auto with = [](const std::string& define, const std::string& potential) {
    return refusal("coordinates = [\"x\"]\nparameters = { k = 1 }\n[define]\n" + define +
                   "\n[lagrangian]\nkinetic = \"x'^2/2\"\npotential = \"" + potential + "\"\n");
  };
  const auto expect = [](const std::string& message, std::initializer_list<const char*> parts) {
    for (const char* part : parts) EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect(with("\"f(a)\" = \"a^2\"", "f(x, 2)"), {"model.toml:7:", "`f` takes 1 argument, found 2"});
  expect(with("\"f(a)\" = \"a^2\"", "g(x)"), {"unknown function `g`", " f "});
  expect(with("\"f(a)\" = \"a^2\"", "k(x)"), {"`k` is a parameter, not a function", "k*("});
  expect(with("\"f(a)\" = \"a^2\"", "f*x"), {"`f` is a function and needs its arguments", "f(a)"});
  expect(with("\"f(a, a)\" = \"a^2\"", "x"), {"the argument `a` is there twice"});
  expect(with("\"f(sin)\" = \"1\"", "x"), {"`sin` is reserved"});
  expect(with("\"f(a\" = \"1\"", "x"), {"expected `)`"});
  expect(with("\"f(a)\" = \"a + y\"", "x"), {"unknown name `y`", "function `f(a)`"});
  expect(with("\"f(a)\" = \"g(a)\"\n\"g(a)\" = \"f(a)\"", "f(x)"), {"calls itself", "f -> g -> f"});
  expect(with("\"f(a)\" = \"a'\"", "f(x)"), {"`a` is an argument"});
  expect(with("\"x(a)\" = \"a\"", "x"), {"already"});
  expect(with("", "ln(x)"), {"unknown function `ln`", "log(x)"});
  expect(with("", "where(x < 1, 1, 2)"), {"unknown function `where`", "if(a < b, x, y)"});
  expect(with("", "x''^2"), {"acceleration", "Accepted here"});
  expect(with("a = \"x''\"", "a"), {"contains accelerations"});
  EXPECT_EQ(with("\"log10(a)\" = \"log(a)/log(10)\"", "log10(2 + x^2)"), "accepted");
  EXPECT_EQ(with("\"ln(a)\" = \"log(a)\"", "ln(2 + x^2)"), "accepted");  // a name of one's own wins
}

TEST(Degrees, AreAUnitUnlessTheNameIsTaken) {
  const char* const text = R"toml(coordinates = ["th"]
[lagrangian]
kinetic = "th'^2/2"
potential = "-cos(th - 10*deg)"
[initial]
th = "40*deg"
)toml";
  const Model model = parse_model(text, "model.toml");
  EXPECT_EQ(model.q0[0], 40.0 * (std::numbers::pi / 180.0));
  EXPECT_EQ(parse_model(text, "model.toml", {.start = {{"th", "90*deg"}}}).q0[0], 90.0 * (std::numbers::pi / 180.0));
  const Model own = parse_model(std::string("parameters = { deg = 2 }\n") + text, "model.toml");
  EXPECT_EQ(own.q0[0], 80.0);
}

}  // namespace
}  // namespace rattleback::testing
