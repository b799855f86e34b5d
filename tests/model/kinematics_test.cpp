// Quasi-velocities: against models without them, and what is refused.
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "output/json.hpp"
#include "rattleback/analysis.hpp"
#include "rattleback/simulate.hpp"
#include "study/random.hpp"
#include "support.hpp"
#include "support/motion.hpp"

namespace rattleback::testing {
namespace {

using test::message_of;

const char* const kTop = R"toml(coordinates = ["e0", "e1", "e2", "e3"]
parameters = { m = 15, g = 9.81, I1 = "0.234375 + m", I2 = 0.46875 }
[kinematics]
velocities = ["w1", "w2", "w3"]
"e0'" = "(-e1*w1 - e2*w2 - e3*w3)/2"
"e1'" = "( e0*w1 - e3*w2 + e2*w3)/2"
"e2'" = "( e3*w1 + e0*w2 - e1*w3)/2"
"e3'" = "(-e2*w1 + e1*w2 + e0*w3)/2"
[lagrangian]
kinetic = "(I1*w1^2 + I2*w2^2 + I1*w3^2)/2"
potential = "m*g*2*(e2*e3 + e0*e1)"
[initial]
e0 = 1
w2 = 150
w3 = -4.61538
)toml";

double quasi(const Trajectory& run, const std::string& name) {
  const auto at = std::ranges::find(run.quantity_names, name);
  return at == run.quantity_names.end() ? NAN
                                        : run.quantities[static_cast<std::size_t>(at - run.quantity_names.begin())];
}

// By Euler's equations with 40 digits.
TEST(Kinematics, AHeavyTopInItsAngularVelocities) {
  const Model m = parse_model(kTop, "top.toml");
  ASSERT_EQ(m.holonomic_names.all(), std::vector<std::string>{"kept(e0,e1,e2,e3)"});
  EXPECT_EQ(m.v0, (std::vector<double>{0.0, 0.0, 75.0, -4.61538 / 2.0}));
  Options o{.method = "prk-lobatto", .stages = 7, .step = 0.001, .native = "off"};
  o.until = 0.2;
  const Trajectory run = simulate(m, o);
  ASSERT_EQ(run.status, Status::done);
  const double e[] = {-0.70827915297431, 0.43878108812658, 0.54572839614542, 0.08939975282401};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(run.q[i], e[i], 1e-11) << i;
  EXPECT_NEAR(quasi(run, "w1"), -2.6915909121434, 1e-10);
  EXPECT_NEAR(quasi(run, "w2"), 150.0, 1e-10);
  EXPECT_NEAR(quasi(run, "w3"), 4.9172609898940, 1e-10);
  const auto json = report::run_json(m, run, nullptr);
  EXPECT_EQ(json["quasi"].size(), 3U);
  EXPECT_EQ(json["quasi"]["w2"].get<double>(), quasi(run, "w2"));
}

TEST(Kinematics, StartsFollowTheQuasiVelocities) {
  const Model m = parse_model(kTop, "top.toml");
  EXPECT_EQ(m.with({}, {{"w2", "10"}, {"w1", "4"}}).v0, (std::vector<double>{0.0, 2.0, 5.0, -4.61538 / 2.0}));
  // Another attitude, and another length: what is kept is that of the start.
  const Model turned = m.with({}, {{"e0", "0.6"}, {"e3", "0.8"}});
  EXPECT_NEAR(turned.v0[0], -0.8 * -4.61538 / 2.0, 1e-15);
  const Model longer = m.with({}, {{"e0", "2"}});
  EXPECT_NEAR(longer.v0[2], 150.0, 1e-13);
  for (const Model& each : {turned, longer}) {
    const Trajectory run =
        simulate(each, {.method = "prk-lobatto", .stages = 3, .step = 0.001, .steps = 20, .native = "off"});
    EXPECT_EQ(run.status, Status::done);
  }
  EXPECT_NE(message_of([&] { (void)m.with({}, {{"e1'", "1"}}); }).find("follows from [kinematics]"), std::string::npos);
}

TEST(Kinematics, QuasiVelocitiesAreVaried) {
  EnsembleRequest request;
  request.members = members_on_grid({{.name = "w2", .from = 10, .to = 30, .count = 3}});
  request.options = {.method = "prk-lobatto", .stages = 3, .step = 0.001, .steps = 20, .native = "off"};
  const Model m = parse_model(kTop, "top.toml");
  const EnsembleReport report = ensemble(m, request);
  ASSERT_EQ(report.members.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const Trajectory one = simulate(m.with({}, {{"w2", std::to_string(10 * (i + 1))}}), request.options);
    EXPECT_EQ(report.members[i].q, one.q) << i;
  }
}

// The constraint is found once only, whatever its form.
TEST(Kinematics, WhatIsAmongTheConstraintsIsNotAddedAgain) {
  const std::string text =
      std::string(kTop) + "[constraints.holonomic]\nunit = \"sqrt(e0^2 + e1^2 + e2^2 + e3^2) - 1\"\n";
  const Model m = parse_model(text, "top.toml");
  EXPECT_EQ(m.holonomic_names.all(), std::vector<std::string>{"unit"});
  const Options o{.method = "prk-lobatto", .stages = 4, .step = 0.001, .steps = 50, .native = "off"};
  const Trajectory a = simulate(m, o), b = simulate(parse_model(kTop, "top.toml"), o);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(a.q[i], b.q[i], 1e-11);
}

// What is kept, and what vanishes, may depend on parameters: with other values it is found anew.
TEST(Kinematics, WhatIsFoundIsThatOfTheParameters) {
  const Model m = parse_model(
      "coordinates = [\"x\", \"y\"]\nparameters = { a = 1, b = 1, k = 2 }\n[kinematics]\nvelocities = [\"w\"]\n"
      "\"x'\" = \"-a*y*w\"\n\"y'\" = \"b*x*w\"\n[lagrangian]\nkinetic = \"k*w^2/2\"\npotential = \"x + y\"\n"
      "[initial]\nx = 1\nw = 1\n",
      "m.toml");
  const auto radius = [](const Model& of, double a) {
    const Trajectory run =
        simulate(of, {.method = "prk-lobatto", .stages = 4, .step = 0.01, .steps = 100, .native = "off"});
    EXPECT_EQ(run.status, Status::done);
    return run.q[0] * run.q[0] + a * run.q[1] * run.q[1];
  };
  EXPECT_NEAR(radius(m, 1.0), 1.0, 1e-13);
  EXPECT_NEAR(radius(m.with({{"a", "2"}}), 2.0), 1.0, 1e-13);
  Options other{.method = "prk-lobatto", .stages = 4, .step = 0.01, .steps = 100, .native = "off"};
  other.parameters = {{"a", 2.0}, {"k", 3.0}};
  const Trajectory run = simulate(m, other);
  EXPECT_NEAR(run.q[0] * run.q[0] + 2.0 * run.q[1] * run.q[1], 1.0, 1e-13);
  // x'' along the ellipse with w as the only velocity: k w' = d(x + y)/d(phi) = a y - b x along it.
  const Trajectory same = simulate(m.with({{"a", "2"}, {"k", "3"}}),
                                   {.method = "prk-lobatto", .stages = 4, .step = 0.01, .steps = 100, .native = "off"});
  EXPECT_EQ(run.q, same.q);
}

// Nine direction cosines: six functions are kept.
TEST(Kinematics, DirectionCosinesKeepSixProducts) {
  std::string lines, coordinates;
  for (int r = 1; r <= 3; ++r) {
    const auto d = [&](int c) { return fmt::format("d{}{}", r, c); };
    lines += fmt::format("\"{}'\" = \"{}*w3 - {}*w2\"\n\"{}'\" = \"{}*w1 - {}*w3\"\n\"{}'\" = \"{}*w2 - {}*w1\"\n",
                         d(1), d(2), d(3), d(2), d(3), d(1), d(3), d(1), d(2));
    for (int c = 1; c <= 3; ++c) coordinates += (coordinates.empty() ? "\"" : ", \"") + d(c) + "\"";
  }
  const std::string body =
      "[lagrangian]\nkinetic = \"(2*w1^2 + 3*w2^2 + 4*w3^2)/2\"\npotential = \"5*d31 + 2*d32\"\n"
      "[initial]\nd11 = 1\nd22 = 1\nd33 = 1\nw1 = 0.3\nw2 = 1\nw3 = -0.4\n";
  const Model m = parse_model(
      "coordinates = [" + coordinates + "]\n[kinematics]\nvelocities = [\"w1\", \"w2\", \"w3\"]\n" + lines + body,
      "d.toml");
  EXPECT_EQ(m.holonomic_names.size(), 6);
  // The same body in a quaternion.
  const Model e = parse_model(
      "coordinates = [\"e0\", \"e1\", \"e2\", \"e3\"]\n[kinematics]\nvelocities = [\"w1\", \"w2\", \"w3\"]\n"
      "\"e0'\" = \"(-e1*w1 - e2*w2 - e3*w3)/2\"\n\"e1'\" = \"(e0*w1 - e3*w2 + e2*w3)/2\"\n"
      "\"e2'\" = \"(e3*w1 + e0*w2 - e1*w3)/2\"\n\"e3'\" = \"(-e2*w1 + e1*w2 + e0*w3)/2\"\n"
      "[lagrangian]\nkinetic = \"(2*w1^2 + 3*w2^2 + 4*w3^2)/2\"\n"
      "potential = \"5*2*(e1*e3 - e0*e2) + 2*2*(e2*e3 + e0*e1)\"\n"
      "[initial]\ne0 = 1\nw1 = 0.3\nw2 = 1\nw3 = -0.4\n",
      "e.toml");
  Options o{.method = "prk-lobatto", .stages = 5, .step = 0.01, .native = "off"};
  o.until = 1.0;
  const Trajectory a = simulate(m, o), b = simulate(e, o);
  ASSERT_EQ(a.status, Status::done);
  for (const char* w : {"w1", "w2", "w3"}) EXPECT_NEAR(quasi(a, w), quasi(b, w), 1e-9) << w;
}

// Random Z(q), square, with forces and a port along quasi-velocities, against the same written in velocities.
TEST(Kinematics, RandomSquareMapsAgreeWithTheSameModelInVelocities) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Random random(77, seed);
    const auto number = [&](double size) { return fmt::format("{:.6f}", size * (2.0 * random.uniform() - 1.0)); };
    // w = A(q) q' with A = 2 + small; Z = A^-1, written out.
    std::string a[2][2];
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        a[i][j] = fmt::format("({} + {}*sin(x) + {}*cos(y))", i == j ? "2" : number(0.5), number(0.4), number(0.4));
    const std::string det = fmt::format("({}*{} - {}*{})", a[0][0], a[1][1], a[0][1], a[1][0]);
    const std::string w1 = fmt::format("({}*x' + {}*y')", a[0][0], a[0][1]),
                      w2 = fmt::format("({}*x' + {}*y')", a[1][0], a[1][1]);
    const std::string potential = fmt::format("x^2 + {}*x*y + y^2 + cos(x)", number(0.5)), coupling = number(0.3),
                      force = number(1.0);
    const std::string with = fmt::format(
        "coordinates = [\"x\", \"y\", \"z\"]\n[kinematics]\nvelocities = [\"w1\", \"w2\"]\n"
        "\"x'\" = \"({1}*w1 - {2}*w2)/{0}\"\n\"y'\" = \"({3}*w2 - {4}*w1)/{0}\"\n"
        "[lagrangian]\nkinetic = \"(w1^2 + 2*w2^2 + z'^2)/2 + {6}*w1*z'\"\npotential = \"{5} + z^2/2\"\n"
        "[forces]\nw2 = \"{7}*sin(t) - 0.1*w2\"\n[ports.push]\ninput = \"cos(t)\"\nalong = {{ w1 = \"1 + x\" }}\n"
        "[initial]\nx = 0.3\ny = -0.2\nw1 = 0.5\nw2 = \"w1 - 1\"\n\"z'\" = 0.2\n",
        det, a[1][1], a[0][1], a[0][0], a[1][0], potential, coupling, force);
    // The force f on w2 is f dw2/dq' on the coordinates.
    const std::string push = fmt::format("{}*sin(t) - 0.1*{}", force, w2);
    const std::string without = fmt::format(
        "coordinates = [\"x\", \"y\", \"z\"]\n"
        "[lagrangian]\nkinetic = \"({0}^2 + 2*{1}^2 + z'^2)/2 + {7}*{0}*z'\"\npotential = \"{2} + z^2/2\"\n"
        "[forces]\nx = \"({3})*{4}\"\ny = \"({3})*{5}\"\n"
        "[ports.push]\ninput = \"cos(t)\"\nalong = {{ x = \"(1 + x)*{6}\", y = \"(1 + x)*{8}\" }}\n"
        "[initial]\nx = 0.3\ny = -0.2\n\"z'\" = 0.2\n",
        w1, w2, potential, push, a[1][0], a[1][1], a[0][0], coupling, a[0][1]);
    const Model m = parse_model(with, "with.toml");
    EXPECT_EQ(m.holonomic_names.size(), 0);
    Model twin = parse_model(without, "without.toml");
    Options o{.method = "spark-gauss", .stages = 5, .step = 0.01, .native = "off"};
    o.until = 1.0;
    const Trajectory run = simulate(m, o);
    Options from = o;
    from.q0 = m.q0;
    from.v0 = m.v0;
    const Trajectory other = simulate(twin, from);
    ASSERT_EQ(run.status, Status::done) << seed;
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(run.q[i], other.q[i], 1e-9) << seed << ' ' << i;
      EXPECT_NEAR(run.v[i], other.v[i], 1e-9) << seed << ' ' << i;
    }
    EXPECT_NEAR(run.energy->final, other.energy->final, 1e-9) << seed;
  }
}

// Euler angles: the same body as in a quaternion, and a warning where they lose a direction.
TEST(Kinematics, EulerAnglesAreWatchedNearTheirSingularity) {
  const auto body = [](const std::string& theta, const std::string& w2) {
    return parse_model(
        "coordinates = [\"psi\", \"theta\", \"phi\"]\n[kinematics]\nvelocities = [\"w1\", \"w2\", \"w3\"]\n"
        "\"psi'\" = \"(sin(phi)*w2 + cos(phi)*w3)/cos(theta)\"\n\"theta'\" = \"cos(phi)*w2 - sin(phi)*w3\"\n"
        "\"phi'\" = \"w1 + tan(theta)*(sin(phi)*w2 + cos(phi)*w3)\"\n"
        "[lagrangian]\nkinetic = \"(w1^2 + 2*w2^2 + 3*w3^2)/2\"\npotential = \"0\"\n[initial]\ntheta = " +
            theta + "\nw1 = 0.2\nw2 = " + w2 + "\nw3 = 0.01\n",
        "angles.toml");
  };
  Options o{.method = "spark-gauss", .stages = 4, .step = 0.005, .native = "off"};
  o.until = 1.0;
  const Trajectory calm = simulate(body("0.1", "0.5"), o);
  const auto warns = [](const Trajectory& run) {
    return std::ranges::any_of(run.notes,
                               [](const std::string& n) { return n.find("kinematics are nearly singular") != n.npos; });
  };
  EXPECT_FALSE(warns(calm));
  // Euler's equations keep energy and the length of the angular momentum.
  const double w[] = {quasi(calm, "w1"), quasi(calm, "w2"), quasi(calm, "w3")};
  EXPECT_NEAR(w[0] * w[0] + 4 * w[1] * w[1] + 9 * w[2] * w[2], 0.04 + 4 * 0.25 + 9 * 1e-4, 1e-10);
  EXPECT_TRUE(warns(simulate(body("1.56", "0.02"), o)));
  EXPECT_NE(message_of([&] { (void)body("\"pi/2\"", "1"); }), "nothing");  // finite, by rounding of pi
}

TEST(Kinematics, FaultsAreNamed) {
  const auto refusal = [](const std::string& kinematics, const std::string& initial = "") {
    return message_of([&] {
      (void)parse_model("coordinates = [\"x\", \"y\", \"th\"]\n[kinematics]\n" + kinematics +
                            "[lagrangian]\nkinetic = \"(x'^2 + y'^2 + th'^2)/2\"\n[initial]\n" + initial,
                        "m.toml");
    });
  };
  EXPECT_NE(refusal("velocities = [\"u\"]\n\"x'\" = \"u^2\"\n").find("not linear in the quasi-velocities"),
            std::string::npos);
  EXPECT_NE(refusal("velocities = [\"u\"]\n\"x'\" = \"u + 1\"\n").find("not linear in the quasi-velocities"),
            std::string::npos);
  EXPECT_NE(refusal("velocities = [\"u\"]\n\"x'\" = \"y'*u\"\n").find("velocity"), std::string::npos);
  EXPECT_NE(refusal("velocities = [\"u\", \"w\"]\n\"x'\" = \"u + w\"\n").find("2 quasi-velocities for one coordinate"),
            std::string::npos);
  EXPECT_NE(refusal("velocities = [\"u\", \"w\"]\n\"x'\" = \"u\"\n").find("`w` occurs in no line"), std::string::npos);
  EXPECT_NE(refusal("velocities = [\"u\"]\n\"x'\" = \"u\"\n\"y'\" = \"th\"\n").find("not linear"), std::string::npos);
  EXPECT_NE(
      refusal("velocities = [\"u\", \"w\"]\n\"x'\" = \"u + w\"\n\"y'\" = \"u*th + th*w\"\n").find("vanishes wherever"),
      std::string::npos);
  // A wheel: nothing is kept.
  EXPECT_NE(refusal("velocities = [\"u\", \"w\"]\n\"x'\" = \"cos(th)*u\"\n\"y'\" = \"sin(th)*u\"\n\"th'\" = \"w\"\n")
                .find("add quasi-velocities and a nonholonomic constraint"),
            std::string::npos);
  EXPECT_NE(refusal("velocities = [\"u\"]\nx = \"u\"\n").find("is a position"), std::string::npos);
  EXPECT_NE(refusal("velocities = [\"u\"]\n").find("has no lines"), std::string::npos);
  EXPECT_NE(refusal("\"x'\" = \"u\"\n").find("has no `velocities`"), std::string::npos);
  EXPECT_NE(refusal("velocities = [\"u\"]\n\"x'\" = \"u\"\n", "\"x'\" = 1\n").find("follows from [kinematics]"),
            std::string::npos);
  EXPECT_NE(refusal("velocities = [\"u\"]\n\"x'\" = \"u\"\n", "\"y'\" = \"x'\"\n").find("follows from [kinematics]"),
            std::string::npos);
  EXPECT_NE(refusal("velocities = [\"x\"]\n\"x'\" = \"x\"\n").find("already the name"), std::string::npos);
}

// With a wheel's own lateral speed as a quasi-velocity, and a constraint on it, a wheel is a sleigh.
TEST(Kinematics, AConstraintOnAQuasiVelocityMakesAWheel) {
  const Model wheel = parse_model(
      "coordinates = [\"x\", \"y\", \"th\"]\n[kinematics]\nvelocities = [\"u\", \"s\", \"w\"]\n"
      "\"x'\" = \"cos(th)*u - sin(th)*s\"\n\"y'\" = \"sin(th)*u + cos(th)*s\"\n\"th'\" = \"w\"\n"
      "[lagrangian]\nkinetic = \"(u^2 + (s + 0.3*w)^2)/2 + 0.2*w^2\"\npotential = \"0\"\n"
      "[constraints.nonholonomic]\nrolls = \"s\"\n[initial]\nu = 1\nw = 0.7\n",
      "wheel.toml");
  const Model plain = parse_model(
      "coordinates = [\"x\", \"y\", \"th\"]\n[lagrangian]\n"
      "kinetic = \"((x' - 0.3*sin(th)*th')^2 + (y' + 0.3*cos(th)*th')^2)/2 + 0.2*th'^2\"\npotential = \"0\"\n"
      "[constraints.nonholonomic]\nrolls = \"-sin(th)*x' + cos(th)*y'\"\n[initial]\n\"x'\" = 1\n\"th'\" = 0.7\n",
      "plain.toml");
  Options o{.method = "spark-lobatto-ab", .stages = 5, .step = 0.02, .native = "off"};
  o.until = 2.0;
  const Trajectory a = simulate(wheel, o), b = simulate(plain, o);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(a.q[i], b.q[i], 1e-10) << i;
  EXPECT_NEAR(a.multipliers[0], b.multipliers[0], 1e-9);
  EXPECT_NEAR(quasi(a, "s"), 0.0, 1e-14);
}

TEST(Kinematics, TheSlidingPendulumKeepsItsMomentum) {
  const Trajectory run = simulate(shipped("sliding-pendulum"),
                                  {.method = "spark-gauss", .stages = 4, .step = 0.01, .steps = 500, .native = "off"});
  ASSERT_EQ(run.invariants.size(), 1U);
  EXPECT_LT(run.invariants[0].max_error, 1e-11);
  EXPECT_LT(run.energy->max_error, 1e-9);
}

}  // namespace
}  // namespace rattleback::testing
