// The symplectic Euler methods in momenta, p(y, z)' = f + r: mechanical systems whose mass depends on positions, and odae files
// with [momentum]. Promises on docs/methods/euler_*.md. Numbers at line ends: measured.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include "rattleback/error.hpp"
#include "support/properties.hpp"

namespace rattleback::testing {
namespace {

constexpr const char* kCurve = R"toml(
coordinates = ["x", "y"]
[parameters]
c = "0.6^2 + 2*0.7^2 + sin(0.6*0.7)/2"
s = 0.5
mu = MU
[lagrangian]
kinetic = "((2 + x^2)*x'^2 + 0.6*x*y*x'*y' + (1 + y^2)*y'^2)/2"
potential = "y/2 + x*y^2/4"
[constraints.holonomic]
curve = "x^2 + 2*y^2 + sin(x*y)/2 - c"
[forces]
x = "-mu*lambda(curve)^2*x'"
y = "-mu*lambda(curve)^2*y'"
[initial]
x = 0.6
y = 0.7
"x'" = "(4*y + x*cos(x*y)/2)*s"
"y'" = "-(2*x + y*cos(x*y)/2)*s"
)toml";

// The same as an odae, whose momenta are written out.
constexpr const char* kCurveInMomenta = R"toml(
kind = "odae"
positions = ["x", "y"]
velocities = ["a", "b"]
multipliers = ["psi"]
[parameters]
c = "0.6^2 + 2*0.7^2 + sin(0.6*0.7)/2"
s = 0.5
mu = MU
[v]
x = "a"
y = "b"
[momentum]
a = "(2 + x^2)*a + 0.3*x*y*b"
b = "0.3*x*y*a + (1 + y^2)*b"
[f]
a = "x*a^2 + 0.3*y*a*b - y^2/4"
b = "0.3*x*a*b + y*b^2 - 1/2 - x*y/2"
[r]
a = "-(2*x + y*cos(x*y)/2)*psi - mu*psi^2*a"
b = "-(4*y + x*cos(x*y)/2)*psi - mu*psi^2*b"
[constraints]
curve = "x^2 + 2*y^2 + sin(x*y)/2 - c"
[initial]
x = 0.6
y = 0.7
a = "(4*y + x*cos(x*y)/2)*s"
b = "-(2*x + y*cos(x*y)/2)*s"
)toml";

Model with_friction(std::string text, const std::string& mu) {
  text.replace(text.find("MU"), 2, mu);
  return parse_model(text, "curve.toml");
}
Model curve(const std::string& mu) { return with_friction(kCurve, mu); }
Model curve_in_momenta(const std::string& mu) { return with_friction(kCurveInMomenta, mu); }

Trajectory one_step(const Model& model, const std::string& method, const std::string& reaction, double alpha) {
  Options options{.method = method, .step = 0.05, .steps = 1, .multiplier = "last", .alpha = alpha};
  options.reaction = reaction;
  return simulate(model, options);
}

struct Reference {
  const char* method;
  const char* reaction;
  std::array<double, 6> end;  // x, y, x', y', Psi_0, Psi_1
};
// mu = 0.02, alpha = 0.4, one step of 0.05: Newton's method on the printed equations with 40 digits (mpmath), by hand for this
// model, with nothing of this library.
constexpr std::array kReferences = {Reference{"euler-true",
                                              "",
                                              {0.677472220122654972, 0.659157935055318358, 1.49525673843667174,
                                               -0.839681465490608746, 0.978983081200394881, 0.269726842888472667}},
                                    Reference{"euler-true",
                                              "z0",
                                              {0.677472220122654972, 0.659157935055318358, 1.49525631905222155,
                                               -0.839681229979648864, 0.978983081200394881, 0.269894080234326677}},
                                    Reference{"euler-true",
                                              "z1",
                                              {0.677472221948211634, 0.659157934030152542, 1.49525697643963343,
                                               -0.839681601684765533, 0.979487084417425422, 0.269927734550992493}},
                                    Reference{"euler-true",
                                              "Z1",
                                              {0.677471908710671312, 0.659158109932847156, 1.49525569309324409,
                                               -0.839680445110651786, 0.979268060824452622, 0.269911077682992298}},
                                    Reference{"euler-conjugate-true",
                                              "",
                                              {0.674218020122953002, 0.660980457271117143, 1.49895105473059578,
                                               -0.837230682922332393, -0.252456465297145761, 0.251956101077305491}},
                                    Reference{"euler-conjugate-true",
                                              "z0",
                                              {0.674218020122953002, 0.660980457271117143, 1.49895113409585882,
                                               -0.837230727251353791, -0.252456465297145761, 0.251936452904201123}},
                                    Reference{"euler-conjugate-true",
                                              "z1",
                                              {0.674218020221507023, 0.660980457216070349, 1.49895104748060999,
                                               -0.837230679009514822, -0.252424420509558608, 0.251968952152495177}},
                                    Reference{"euler-conjugate-true",
                                              "Z1",
                                              {0.674218039588366787, 0.660980446398819553, 1.49895208897601992,
                                               -0.837231287578387529, -0.252443941788056866, 0.251949674173407877}},
                                    Reference{"euler-natural",
                                              "",
                                              {0.677472220122654972, 0.659157935055318358, 1.49501807287650653,
                                               -0.839547439645969391, 0.978983081200394881, -0.201739429010506616}},
                                    Reference{"euler-natural",
                                              "z0",
                                              {0.677472220122654972, 0.659157935055318358, 1.49501809426095679,
                                               -0.839547451654694094, 0.978983081200394881, -0.201761286301597135}},
                                    Reference{"euler-natural",
                                              "z1",
                                              {0.677472224231751813, 0.659157932747799937, 1.49501814924258674,
                                               -0.83954748824757799, 0.979486784610720176, -0.201739451994565273}},
                                    Reference{"euler-natural",
                                              "Z1",
                                              {0.677471908710671312, 0.659158109932847156, 1.49501191519834067,
                                               -0.839543548436560424, 0.979268060824452622, -0.201746765296842377}},
                                    Reference{"euler-conjugate-natural",
                                              "",
                                              {0.674218020122953002, 0.660980457271117143, 1.49882957216863433,
                                               -0.837162829520453028, -0.252456465297145761, 0.588922551129270577}},
                                    Reference{"euler-conjugate-natural",
                                              "z0",
                                              {0.674218020122953002, 0.660980457271117143, 1.49883004662232762,
                                               -0.83716309452389553, -0.252456465297145761, 0.588743000312571188}},
                                    Reference{"euler-conjugate-natural",
                                              "z1",
                                              {0.674218020292218622, 0.660980457176574783, 1.49882957559610339,
                                               -0.837162831669473263, -0.252424434021777367, 0.588922555674870616}},
                                    Reference{"euler-conjugate-natural",
                                              "Z1",
                                              {0.674218039588366787, 0.660980446398819553, 1.49883350929582075,
                                               -0.837165055562658723, -0.252443941788056866, 0.588815619567873229}},
                                    Reference{"euler-explicit",
                                              "",
                                              {0.677491930917202174, 0.659146866013625418, 1.49561012504611461,
                                               -0.839907350575902799, 0.946351059186612223, 0.256652393456596463}},
                                    Reference{"euler-implicit",
                                              "",
                                              {0.675529183132926036, 0.660247318923990613, 1.49830945248135412,
                                               -0.838691451419678367, -0.427992704968214345, 0.26537441215449507}}};

TEST(EulerInMomenta, StepsAreThoseOfTheEquationsWith40Digits) {
  for (const Model& model : {curve("0.02"), curve_in_momenta("0.02")})
    for (const Reference& r : kReferences) {
      SCOPED_TRACE(std::string(r.method) + " " + r.reaction + " " + to_string(model.kind));
      const Trajectory run = one_step(model, r.method, r.reaction, 0.4);
      ASSERT_EQ(run.status, Status::done) << run.message;
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_NEAR(run.q[i], r.end[i], 1e-15);
        EXPECT_NEAR(run.v[i], r.end[2 + i], 2e-14);
      }
      EXPECT_NEAR(run.multipliers[0], r.end[5], 1e-12);  // 2e-14
    }
}

TEST(EulerInMomenta, MultipliersOfAStepAreTheSumOrTheLast) {
  for (const Reference& r : kReferences) {
    if (*r.reaction != 0) continue;
    const bool natural = std::string(r.method).ends_with("natural");
    const double sum = natural ? 0.4 * r.end[4] + 0.6 * r.end[5] : r.end[5];
    Options options{.method = r.method, .step = 0.05, .steps = 1, .multiplier = "sum", .alpha = 0.4};
    EXPECT_NEAR(simulate(curve("0.02"), options).multipliers[0], sum, 1e-12) << r.method;
  }
}

// The consistent combination converges to the multiplier, Psi_1 of the natural method does not.
TEST(EulerInMomenta, TheSumOfTheMultipliersConvergesAndTheLastOfTheNaturalMethodDoesNot) {
  const auto error = [](const std::string& method, const char* which, int steps) {
    const Model model = curve("0");
    const Options options{.method = method, .step = 0.5 / steps, .steps = steps, .multiplier = which};
    const Options fine{.method = "prk-lobatto", .stages = 4, .step = 0.5 / 64, .steps = 64};
    return std::fabs(simulate(model, options).multipliers[0] - simulate(model, fine).multipliers[0]);
  };
  for (const char* method : {"euler-natural", "euler-conjugate-natural", "euler-true", "euler-conjugate-true"}) {
    EXPECT_NEAR(error(method, "sum", 100) / error(method, "sum", 200), 2.0, 0.15) << method;
    if (std::string(method).ends_with("natural"))
      EXPECT_GT(error(method, "last", 200), 0.1) << method;
    else
      EXPECT_EQ(error(method, "last", 200), error(method, "sum", 200)) << method;
  }
}

TEST(EulerInMomenta, ConvergesAtOrderOneAndComposedAtItsOrder) {
  const Trajectory fine = simulate(curve("0"), {.method = "prk-lobatto", .stages = 5, .step = 0.01, .steps = 100});
  const auto error = [&](const std::string& method, int compose, int steps) {
    const Trajectory run =
        simulate(curve("0"), {.method = method, .step = 1.0 / steps, .steps = steps, .compose = compose});
    EXPECT_EQ(run.status, Status::done) << run.message;
    double out = 0.0;
    for (std::size_t i = 0; i < 2; ++i)
      out = std::fmax(out, std::fmax(std::fabs(run.q[i] - fine.q[i]), std::fabs(run.v[i] - fine.v[i])));
    EXPECT_LT(run.constraint_position, 1e-14);
    EXPECT_LT(run.constraint_velocity, 1e-13);
    return out;
  };
  const auto slope = [&](const std::string& method, int compose, int steps) {
    return std::log2(error(method, compose, steps) / error(method, compose, 2 * steps));
  };
  for (const char* method : {"euler-true", "euler-conjugate-true", "euler-natural", "euler-conjugate-natural",
                             "euler-explicit", "euler-implicit"}) {
    EXPECT_NEAR(slope(method, 0, 200), 1.0, 0.1) << method;
    EXPECT_NEAR(slope(method, 2, 50), 2.0, 0.1) << method;
    EXPECT_NEAR(slope(method, 4, 40), 4.0, 0.2) << method;
  }
}

// The sum of p dq round a closed curve of points at equal distances in its parameter, to all digits for a smooth curve.
double area(const std::vector<std::array<double, 4>>& edge) {
  using Complex = std::complex<double>;
  const int n = static_cast<int>(edge.size());
  const auto wave = [&](std::size_t column, int k) {
    Complex sum = 0.0;
    for (int i = 0; i < n; ++i)
      sum += edge[static_cast<std::size_t>(i)][column] * std::polar(1.0, -2 * std::numbers::pi * k * i / n);
    return sum / double(n);
  };
  Complex sum = 0.0;
  for (int k = -n / 2 + 1; k < n / 2; ++k)
    for (const std::size_t q : {0U, 1U}) sum += wave(q + 2, -k) * wave(q, k) * Complex(0.0, 2 * std::numbers::pi * k);
  return sum.real();
}

// How much the area of a patch of starts on the constraint manifold has changed after so many steps.
double change_of_area(const std::string& method, double step, std::int64_t steps) {
  constexpr int kPoints = 24;
  const Prepared prepared(curve("0"), {.method = method, .step = step, .steps = steps, .keep_records = false});
  const auto with_momenta = [](double x, double y, double a, double b) {
    return std::array{x, y, (2 + x * x) * a + 0.3 * x * y * b, 0.3 * x * y * a + (1 + y * y) * b};
  };
  const double c = 0.36 + 0.98 + std::sin(0.42) / 2;
  std::vector<std::array<double, 4>> before, after;
  for (int i = 0; i < kPoints; ++i) {
    const double phi = 2 * std::numbers::pi * i / kPoints;
    const double x = 0.6 + 1e-3 * std::cos(phi), s = 0.5 + 1e-3 * std::sin(phi);
    double y = 0.7;
    for (int k = 0; k < 20; ++k) y -= (x * x + 2 * y * y + std::sin(x * y) / 2 - c) / (4 * y + x * std::cos(x * y) / 2);
    const double a = (4 * y + x * std::cos(x * y) / 2) * s, b = -(2 * x + y * std::cos(x * y) / 2) * s;
    before.push_back(with_momenta(x, y, a, b));
    const Trajectory run = prepared.run({.q0 = {x, y}, .v0 = {a, b}});
    EXPECT_EQ(run.status, Status::done) << run.message;
    after.push_back(with_momenta(run.q[0], run.q[1], run.v[0], run.v[1]));
  }
  return std::fabs(area(after) / area(before) - 1.0);
}

TEST(EulerInMomenta, KeepsTheAreaOfAPatchOfStartsOver10000Steps) {
  for (const char* method : {"euler-true", "euler-natural", "euler-conjugate-true", "euler-conjugate-natural"})
    EXPECT_LT(change_of_area(method, 0.005, 10'000), 1e-6) << method;
  EXPECT_GT(change_of_area("euler-explicit", 0.005, 10'000), 1e-2);
  EXPECT_GT(change_of_area("euler-implicit", 0.005, 10'000), 1e-2);
}

// Where r is affine in psi the conjugate method undoes the method taken backwards; where it is not, it does not.
TEST(EulerInMomenta, TheConjugateMethodIsTheAdjointOnlyForAffineReactions) {
  const auto there_and_back = [](const char* mu) {
    const Model model = curve(mu);
    const Trajectory there = simulate(model, {.method = "euler-true", .step = 0.05, .steps = 1});
    const Trajectory back =
        simulate(model, {.method = "euler-conjugate-true", .step = -0.05, .steps = 1, .q0 = there.q, .v0 = there.v});
    double out = 0.0;
    for (std::size_t i = 0; i < 2; ++i)
      out = std::fmax(out, std::fmax(std::fabs(back.q[i] - there.start_q[i]), std::fabs(back.v[i] - there.start_v[i])));
    return out;
  };
  EXPECT_LT(there_and_back("0"), 1e-14);
  EXPECT_GT(there_and_back("0.2"), 1e-5);
}

// A constant mass with a momentum that depends on positions besides: the steps are divided by the mass there. The twin writes
// the momenta out, and nothing is divided.
TEST(EulerInMomenta, TakeMomentaThatDependOnPositions) {
  const Model mechanical = parse_model(R"toml(coordinates = ["x", "y"]
[lagrangian]
L = "(x'^2 + 3*y'^2 + x'*y')/2 + 0.7*(x^2*y' - sin(y)*x') - y"
[constraints.holonomic]
c = "x^2 + 2*y^2 + x*y/2 - 1"
[initial]
x = 1
"x'" = 0.5
"y'" = -2
)toml",
                                       "gyroscopic.toml");
  const Model written = parse_model(R"toml(kind = "odae"
positions = ["x", "y"]
velocities = ["a", "b"]
multipliers = ["psi"]
[v]
x = "a"
y = "b"
[momentum]
a = "a + b/2 - 0.7*sin(y)"
b = "3*b + a/2 + 0.7*x^2"
[f]
a = "1.4*x*b"
b = "-0.7*cos(y)*a - 1"
[r]
a = "-(2*x + y/2)*psi"
b = "-(4*y + x/2)*psi"
[constraints]
c = "x^2 + 2*y^2 + x*y/2 - 1"
[initial]
x = 1
a = 0.5
b = -2
)toml",
                                    "written.toml");
  for (const char* method : {"euler-true", "euler-conjugate-true", "euler-natural", "euler-conjugate-natural",
                             "euler-explicit", "euler-implicit"}) {
    const Options options{.method = method, .step = 0.05, .steps = 20};
    const Trajectory a = simulate(mechanical, options), b = simulate(written, options);
    ASSERT_EQ(a.status, Status::done) << a.message;
    ASSERT_EQ(b.status, Status::done) << b.message;
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(a.q[i], b.q[i], 1e-13) << method;
      EXPECT_NEAR(a.v[i], b.v[i], 1e-12) << method;  // 1e-14
    }
    EXPECT_NEAR(a.multipliers[0], b.multipliers[0], 1e-11) << method;
  }
}

// Flights and impacts do not depend on the momenta that the same equations are written in.
TEST(EulerInMomenta, ImpactsAreThoseOfTheEquationsWithoutThem) {
  const auto bounces = [](const std::string& equations) {
    const Model model = parse_model(
        "kind = 'odae'\npositions = ['x', 'y']\nvelocities = ['a', 'b']\nmultipliers = ['psi']\n"
        "unilateral = ['floor']\nrestitution = 0.6\n[v]\nx = 'a'\ny = 'b'\n[constraints]\nfloor = 'y - 0.1*x^2'\n"
        "[initial]\nx = 0.3\ny = 1\na = 0.2\n" +
            equations,
        "bounces.toml");
    const Trajectory run = simulate(model, {.method = "euler-true", .step = 0.01, .until = 1.2});
    EXPECT_EQ(run.status, Status::done) << run.message;
    return run;
  };
  const Trajectory plain = bounces("[f]\nb = -9.81\n[r]\na = '-0.2*x*psi'\nb = 'psi'\n");
  const Trajectory written = bounces(
      "[momentum]\na = '(1 + x^2)*a'\nb = '3*b + a'\n[f]\na = '2*x*a^2'\nb = '-3*9.81'\n"
      "[r]\na = '-(1 + x^2)*0.2*x*psi'\nb = '3*psi - 0.2*x*psi'\n");
  ASSERT_GE(plain.contacts.size(), 2U);
  ASSERT_EQ(written.contacts.size(), plain.contacts.size());
  for (std::size_t i = 0; i < plain.contacts.size(); ++i) {
    EXPECT_NEAR(written.contacts[i].t, plain.contacts[i].t, 1e-11);
    EXPECT_NEAR(written.contacts[i].speed, plain.contacts[i].speed, 1e-10);
  }
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(written.q[i], plain.q[i], 1e-10);
    EXPECT_NEAR(written.v[i], plain.v[i], 1e-10);
  }
}

TEST(EulerInMomenta, AFileWithoutALineForAVelocityIsRefused) {
  std::string text = kCurveInMomenta;
  text.replace(text.find("MU"), 2, "0");
  const std::string line = "b = \"0.3*x*y*a + (1 + y^2)*b\"\n";
  text.erase(text.find(line), line.size());
  try {
    (void)parse_model(text, "curve.toml");
    FAIL() << "it was accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "curve.toml:13:2: [momentum] has no line for `b`. It has one for each velocity; write b = \"b\" where "
                 "the velocity itself is meant");
  }
}

}  // namespace
}  // namespace rattleback::testing
