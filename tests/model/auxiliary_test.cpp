// Coordinates without inertia: what is solved at the start, what is refused, and motions against twins that have none.
#include <cmath>
#include <span>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "rattleback/simulate.hpp"
#include "rattleback/trace.hpp"
#include "study/random.hpp"
#include "support.hpp"
#include "support/motion.hpp"

namespace rattleback::testing {
namespace {

using test::message_of;

// A bead on the curve (x(s), y(s)).
std::string bead(const std::string& more) {
  return R"toml(coordinates = ["x", "y", "s"]
auxiliary = ["s"]
parameters = { m = 1.5, g = 9.81, s0 = 1.2, h = 0 }
[lagrangian]
kinetic = "m*(x'^2 + y'^2)/2"
potential = "m*g*y"
[constraints.holonomic]
curve_x = "x - s - sin(s)"
curve_y = "y - 1 + cos(s) - h*t"
[initial]
x = "s0 + sin(s0)"
y = "1 - cos(s0)"
)toml" + more;
}

TEST(Auxiliary, StartsAreSolvedForFromTheirGuesses) {
  for (const double guess : {1.1, 0.3, 2.4, 0.0}) {
    const Model m = parse_model(bead("s = " + std::to_string(guess)), "bead.toml");
    EXPECT_NEAR(m.q0[2], 1.2, 1e-15) << guess;
    EXPECT_EQ(m.v0[2], 0.0);
  }
  // A curve that moves: the bead stands still, and s with it or not.
  const Model m = parse_model(bead("s = 1\n\"x'\" = \"-h*(1 + cos(s0))/sin(s0)\"\n"), "bead.toml");
  const Model moves = m.with({{"h", "0.5"}});
  EXPECT_NEAR(moves.q0[2], 1.2, 1e-15);
  EXPECT_NEAR(moves.v0[2], -0.5 / std::sin(1.2), 1e-14);
  // Another parameter, and another guess, without another text.
  EXPECT_NEAR(m.with({{"s0", "0.7"}}).q0[2], 0.7, 1e-15);
  EXPECT_NEAR(m.with({{"s0", "0.7"}}, {{"s", "0.1"}}).q0[2], 0.7, 1e-15);
}

// By the equation of the cycloid in s alone, to 30 digits.
TEST(Auxiliary, MethodsFollowTheBead) {
  const Model m = parse_model(bead("s = 1.1"), "bead.toml");
  const double x = -2.1319549567712, y = 0.6375846915503098, s = -1.199938248658456, dx = -0.02773491987294302,
               dy = 0.01897322245238528, ds = -0.02035716987392261;
  struct Case {
    const char* method;
    int stages;
    double step, near;
  };
  for (const Case& c :
       {Case{"prk-lobatto", 5, 0.01, 1e-10}, Case{"spark-lobatto-ab", 5, 0.01, 1e-10}, Case{"rattle", 0, 0.0005, 5e-6},
        Case{"collocation-gauss", 4, 0.01, 1e-10}, Case{"projected-dop853", 0, 0.01, 1e-11},
        Case{"euler-true", 0, 0.0005, 2e-3}, Case{"index1", 0, 0.002, 1e-4}}) {
    Options o{.method = c.method, .step = c.step, .native = "off"};
    o.until = 2.0;
    if (c.stages > 0) o.stages = c.stages;
    const Trajectory run = simulate(m, o);
    EXPECT_EQ(run.status, Status::done) << c.method;
    const double found[] = {run.q[0] - x, run.q[1] - y, run.q[2] - s, run.v[0] - dx, run.v[1] - dy, run.v[2] - ds};
    for (const double e : found) EXPECT_LT(std::fabs(e), c.near) << c.method;
  }
}

// Where the solution is 0, what Newton leaves of it is none.
TEST(Auxiliary, ASolutionAtZeroIsZero) {
  for (const double guess : {0.1, 0.5, 0.8, 0.9, 1.1, 1.2, 1.3, 1.4, 2.0})
    for (const char* curve :
         {"c1 = \"x - sinh(s)\"\nc2 = \"y - s^2\"\n", "c1 = \"x - exp(s) + 1\"\nc2 = \"y - s*exp(s)\"\n"}) {
      const Model m = parse_model(
          fmt::format(
              "coordinates = [\"x\", \"y\", \"s\"]\nauxiliary = [\"s\"]\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\n"
              "potential = \"9.81*y\"\n[constraints.holonomic]\n{}[initial]\ns = {}\n",
              curve, guess),
          "zero.toml");
      EXPECT_LT(std::fabs(m.q0[2]), 1e-16) << guess;
      EXPECT_EQ(simulate(m, {.method = "prk-lobatto", .stages = 2, .step = 0.01, .steps = 2, .native = "off"}).status,
                Status::done)
          << guess << curve;
    }
}

// Newton comes near a cusp and not to it; the curve does not say there where the bead goes.
TEST(Auxiliary, CuspsAreRefused) {
  for (const double guess : {2.9, 3.0, 3.3}) {
    const std::string message = message_of([&] {
      (void)parse_model(bead(fmt::format("s = {}", guess)), "cusp.toml").with({{"s0", "pi"}});
    });
    EXPECT_NE(message.find("do not determine `s` at the start"), std::string::npos) << guess << message;
  }
}

// A random curve: c1 = 1.5 s + ..., c2 = cos(s) + ..., c3 = sin(s) + ...
struct Curve {
  explicit Curve(int seed) : random(1000, static_cast<std::uint64_t>(seed)) {
    for (auto& terms : coefficients)
      for (double& c : terms) c = 0.4 * (2.0 * random.uniform() - 1.0);
  }
  [[nodiscard]] std::string formula(int i) const {
    const char* const base[] = {"1.5*s", "cos(s)", "sin(s)"};
    const auto& c = coefficients[i];
    return fmt::format("({} + {}*sin(s) + {}*cos(s) + {}*sin(2*s) + {}*cos(2*s))", base[i], c[0], c[1], c[2], c[3]);
  }
  [[nodiscard]] std::string definitions() const {
    return fmt::format("[define]\nc1 = \"{}\"\nc2 = \"{}\"\nc3 = \"{}\"\n", formula(0), formula(1), formula(2));
  }
  [[nodiscard]] double at(int i, double s) const {
    const double base[] = {1.5 * s, std::cos(s), std::sin(s)};
    const auto& c = coefficients[i];
    return base[i] + c[0] * std::sin(s) + c[1] * std::cos(s) + c[2] * std::sin(2 * s) + c[3] * std::cos(2 * s);
  }
  [[nodiscard]] double slope(int i, double s) const {
    const double base[] = {1.5, -std::sin(s), std::cos(s)};
    const auto& c = coefficients[i];
    return base[i] + c[0] * std::cos(s) - c[1] * std::sin(s) + 2 * c[2] * std::cos(2 * s) - 2 * c[3] * std::sin(2 * s);
  }
  Random random;
  double coefficients[3][4] = {};
};

// The same motion with the parameter of the curve as the coordinate.
TEST(Auxiliary, RandomCurvesAgreeWithTheirParameterAsTheCoordinate) {
  for (int seed = 0; seed < 12; ++seed) {
    Curve curve(seed);
    const double s = 2.0 * curve.random.uniform() - 1.0, rate = 0.5 + curve.random.uniform(),
                 guess = s + 0.3 * (curve.random.uniform() - 0.5);
    const Model one = parse_model(
        fmt::format("coordinates = [\"s\"]\n{}[lagrangian]\nkinetic = \"(dt(c1)^2 + dt(c2)^2 + dt(c3)^2)/2\"\n"
                    "potential = \"3*c1^2 + 9.81*c3\"\n[initial]\ns = {}\n\"s'\" = {}\n",
                    curve.definitions(), s, rate),
        "one.toml");
    std::string start;
    for (int i = 0; i < 3; ++i)
      start += fmt::format("x{0} = {1}\n\"x{0}'\" = {2}\n", i + 1, curve.at(i, s), rate * curve.slope(i, s));
    const Model all =
        parse_model(fmt::format("coordinates = [\"x1\", \"x2\", \"x3\", \"s\"]\nauxiliary = [\"s\"]\n{}[lagrangian]\n"
                                "kinetic = \"(x1'^2 + x2'^2 + x3'^2)/2\"\npotential = \"3*x1^2 + 9.81*x3\"\n"
                                "[constraints.holonomic]\non1 = \"x1 - c1\"\non2 = \"x2 - c2\"\non3 = \"x3 - c3\"\n"
                                "[initial]\ns = {}\n{}",
                                curve.definitions(), guess, start),
                    "all.toml");
    EXPECT_NEAR(all.q0[3], s, 1e-14) << seed;
    EXPECT_NEAR(all.v0[3], rate, 1e-13) << seed;
    Options o{.method = "prk-lobatto", .stages = 5, .step = 0.005, .native = "off"};
    o.until = 1.0;
    Options free = o;
    free.method = "spark-gauss";
    const Trajectory a = simulate(one, free), b = simulate(all, o);
    ASSERT_EQ(b.status, Status::done) << seed;
    EXPECT_NEAR(a.q[0], b.q[3], 1e-9) << seed;
    EXPECT_NEAR(a.v[0], b.v[3], 1e-8) << seed;
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(b.q[static_cast<std::size_t>(i)], curve.at(i, b.q[3]), 1e-13) << seed;
  }
}

// The contact point of an ellipsoid follows from its attitude: s = -A^2 n/|A n|, n the normal in the body's axes.
TEST(Auxiliary, TheContactPointOfTheEllipsoidIsThatOfTheClosedForm) {
  const Model found = shipped("rolling-ellipsoid", {}, {{"s1", "0.05"}, {"s3", "-0.2"}, {"u", "3"}});
  Options o{.method = "prk-lobatto", .stages = 4, .step = 0.005, .native = "off"};
  o.until = 1.0;
  const Trajectory run = simulate(found, o);
  ASSERT_EQ(run.status, Status::done);
  const Trajectory twin = simulate(parse_model(R"toml(
coordinates = ["x", "y", "z", "e0", "e1", "e2", "e3"]
parameters = { m = 1.2, a = 0.3, b = 0.2, c = 0.25, g = 9.81, om1 = 1, om2 = 4, om3 = 2, I1 = "m*(b^2 + c^2)/5", I2 = "m*(a^2 + c^2)/5", I3 = "m*(a^2 + b^2)/5" }
[define]
w1 = "2*(-e1*e0' + e0*e1' + e3*e2' - e2*e3')"
w2 = "2*(-e2*e0' - e3*e1' + e0*e2' + e1*e3')"
w3 = "2*(-e3*e0' + e2*e1' - e1*e2' + e0*e3')"
n1 = "2*(e1*e3 - e0*e2)"
n2 = "2*(e2*e3 + e0*e1)"
n3 = "e0^2 - e1^2 - e2^2 + e3^2"
d = "sqrt(a^2*n1^2 + b^2*n2^2 + c^2*n3^2)"
s1 = "-a^2*n1/d"
s2 = "-b^2*n2/d"
s3 = "-c^2*n3/d"
[lagrangian]
kinetic = "m*(x'^2 + y'^2 + z'^2)/2 + (I1*w1^2 + I2*w2^2 + I3*w3^2)/2"
potential = "m*g*z"
[constraints.holonomic]
unit = "(e0^2 + e1^2 + e2^2 + e3^2 - 1)/2"
touch = "z - d"
[constraints.nonholonomic]
roll_x = "x' + (e0^2 + e1^2 - e2^2 - e3^2)*(w2*s3 - w3*s2) + 2*(e1*e2 - e0*e3)*(w3*s1 - w1*s3) + 2*(e1*e3 + e0*e2)*(w1*s2 - w2*s1)"
roll_y = "y' + 2*(e1*e2 + e0*e3)*(w2*s3 - w3*s2) + (e0^2 - e1^2 + e2^2 - e3^2)*(w3*s1 - w1*s3) + 2*(e2*e3 - e0*e1)*(w1*s2 - w2*s1)"
[outputs]
o1 = "s1"
o2 = "s2"
o3 = "s3"
[initial]
z = "c"
e0 = 1
"e1'" = "om1/2"
"e2'" = "om2/2"
"e3'" = "om3/2"
"x'" = "c*om2"
"y'" = "-c*om1"
)toml",
                                               "twin.toml"),
                                   o);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_NEAR(run.q[i], twin.q[i], 2e-9) << i;
    EXPECT_NEAR(run.v[i], twin.v[i], 2e-8) << i;
  }
  const std::vector<double>& q = twin.records.quantities;
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(run.q[7 + i], q[q.size() - 3 + i], 2e-9) << i;
  // The reactions at the contact are the same forces.
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(run.multipliers[5 + i], twin.multipliers[1 + i], 1e-6) << i;
}

TEST(Auxiliary, WhatIsNotDeterminedIsRefused) {
  const auto refusal = [](const std::string& text) { return message_of([&] { (void)parse_model(text, "m.toml"); }); };
  const std::string tail = "[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\n[constraints.holonomic]\n";
  EXPECT_EQ(refusal("coordinates = [\"x\", \"y\", \"s\"]\nauxiliary = [\"y\"]\n" + tail + "c = \"x - s\"\n"),
            "m.toml:2:14: `y` in `auxiliary` has inertia: y' occurs in the Lagrangian. Auxiliary are positions without "
            "kinetic energy, which holonomic constraints determine");
  EXPECT_EQ(
      refusal("coordinates = [\"x\", \"y\", \"s\"]\nauxiliary = [\"s\"]\n" + tail + "c = \"x - y\"\n"),
      "m.toml:2:14: the holonomic constraints do not determine `s` at the start: 1 auxiliary, and the derivatives "
      "of the constraints with respect to them have rank 0. Give another guess in [initial], or the constraints "
      "that are missing");
  EXPECT_NE(
      refusal("coordinates = [\"x\", \"y\", \"s\", \"r\"]\nauxiliary = [\"s\", \"r\"]\n" + tail + "c = \"x - s - r\"\n")
          .find("determine `s`, `r` at the start: 2 auxiliary, and the derivatives of the constraints with "
                "respect to them have rank 1"),
      std::string::npos);
  // At the cusp the curve does not say where on it the bead is.
  EXPECT_NE(refusal(bead("x = 3.141592653589793\ny = 2\ns = 3.141592653589793\n")), "");
  EXPECT_NE(refusal("keep = [\"s\"]\n" + bead("s = 1.1")).find("is solved for at the start"), std::string::npos);
  EXPECT_EQ(refusal("coordinates = [\"x\", \"y\", \"s\"]\nauxiliary = [\"s'\"]\n" + tail + "c = \"x - s\"\n"),
            "m.toml:2:14: `s'` in `auxiliary` is a velocity. Write `s`");
  // What the constraints ask of the other coordinates is judged as always.
  const Model off = parse_model(bead("s = 1.1\n\"x'\" = 1\n"), "bead.toml");
  EXPECT_NE(message_of([&] {
              (void)simulate(off, {.method = "prk-lobatto", .step = 0.01, .steps = 1});
            }).find("violates constraint"),
            std::string::npos);
}

template <class T>
using Values = std::span<const T>;

// The same bead as a class.
struct Bead {
  template <class T>
  T kinetic(const T&, Values<T>, Values<T> v) const {
    return 0.75 * (v[0] * v[0] + v[1] * v[1]);
  }
  template <class T>
  T potential(const T&, Values<T> q) const {
    return 1.5 * 9.81 * q[1];
  }
  template <class T>
  std::vector<T> holonomic(const T&, Values<T> q) const {
    using std::cos, std::sin;
    return {q[0] - q[2] - sin(q[2]), q[1] - 1.0 + cos(q[2])};
  }
};

TEST(Auxiliary, OfClassesAreSolvedForToo) {
  const Model m = trace(Bead{}, {.name = "bead",
                                 .coordinates = {"x", "y", "s"},
                                 .q = {1.2 + std::sin(1.2), 1.0 - std::cos(1.2), 1.1},
                                 .auxiliary = {"s"}});
  EXPECT_NEAR(m.q0[2], 1.2, 1e-15);
}

}  // namespace
}  // namespace rattleback::testing
