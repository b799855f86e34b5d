// Unilateral constraints, as docs/guide/model-files.md promises them. Numbers at line ends: measured.
#include <gtest/gtest.h>

#include <cmath>

#include "rattleback/error.hpp"
#include "support/properties.hpp"

namespace rattleback::testing {
namespace {

constexpr double kB = 0.01, kG = 9.81;

// The mass on the cubic of Jay and Simeon (4.2) in a wind w that blows it back: it slides to the left, lifts off where the
// curve bends away, and lands again.
Model windy(const Values& set = {}, const Values& start = {}) {
  return parse_model(R"toml(
kind        = "odae"
positions   = ["y1", "y2"]
velocities  = ["z1", "z2"]
multipliers = ["psi"]
unilateral  = ["surface"]
restitution = "e"
[parameters]
b  = 0.01
g  = 9.81
cf = 0.1
rf = 0.85
w  = 10
e  = 0.5
[define]
friction = "cf*((1 + 9*b^2*y1^4)*psi^2)^(rf/2)/sqrt(z1^2 + z2^2)"
[v]
y1 = "z1"
y2 = "z2"
[f]
z1 = "w"
z2 = "-g"
[r]
z1 = "-3*b*y1^2*psi - friction*z1"
z2 = "psi - friction*z2"
[constraints]
surface = "y2 - b*y1^3"
[initial]
y1  = 2
y2  = "b*y1^3"
z1  = -18
z2  = "3*b*y1^2*z1"
)toml",
                     "windy.toml", {.set = set, .start = start});
}

// A ball between a floor and a wall.
Model ball(const Values& set = {}, const Values& start = {}) {
  return parse_model(R"toml(
kind        = "odae"
positions   = ["x", "y"]
velocities  = ["u", "v"]
multipliers = ["n", "s"]
unilateral  = ["floor", "wall"]
restitution = "e"
[parameters]
e = 0.5
g = 10
[v]
x = "u"
y = "v"
[f]
v = "-g"
[r]
u = "s"
v = "n"
[constraints]
floor = "y"
wall = "x"
[initial]
x = 100
y = 5
)toml",
                     "ball.toml", {.set = set, .start = start});
}

Trajectory run(const Model& model, double h, double until, int compose = 0) {
  const Trajectory out = simulate(model, {.method = "euler-true", .step = h, .until = until, .compose = compose});
  EXPECT_EQ(out.status, Status::done) << out.message;
  return out;
}

struct Row {
  double t, y1, y2, z1, z2, psi;
  [[nodiscard]] double g() const { return y2 - kB * y1 * y1 * y1; }
  [[nodiscard]] double energy(double wind) const { return (z1 * z1 + z2 * z2) / 2 + kG * y2 - wind * y1; }
};

std::vector<Row> rows(const Trajectory& t) {
  std::vector<Row> out;
  for (std::size_t i = 0; i < t.records.rows; ++i)
    out.push_back({t.records.t[i], t.records.q[2 * i], t.records.q[2 * i + 1], t.records.v[2 * i],
                   t.records.v[2 * i + 1], t.records.multipliers[i]});
  return out;
}

// The motion along the curve as an ordinary differential equation in (y1, z1), with psi as on page 7 of the source, by the
// classical Runge-Kutta method; the time at which psi falls to zero.
double lift_off_time(double x, double u, double wind) {
  const auto psi = [&](double y, double z) {
    return (kG + 6 * kB * y * z * z + 3 * kB * y * y * wind) / (1 + 9 * kB * kB * y * y * y * y);
  };
  const auto rate = [&](double y, double z) {
    const double p = psi(y, z), s = 1 + 9 * kB * kB * y * y * y * y;
    const double friction = 0.1 * std::pow(s * p * p, 0.425) / std::hypot(z, 3 * kB * y * y * z);
    return wind - 3 * kB * y * y * p - friction * z;
  };
  const auto step = [&](double h, double& y, double& z) {
    const double k1 = z, l1 = rate(y, z), k2 = z + h / 2 * l1, l2 = rate(y + h / 2 * k1, k2);
    const double k3 = z + h / 2 * l2, l3 = rate(y + h / 2 * k2, k3), k4 = z + h * l3, l4 = rate(y + h * k3, k4);
    y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    z += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
  };
  double t = 0.0;
  for (double h = 1e-4; h > 1e-13; h /= 10.0)  // |psi|^0.85 is not smooth at the end
    for (;;) {
      double y = x, z = u;
      step(h, y, z);
      if (psi(y, z) < 0.0) break;
      x = y;
      u = z;
      t += h;
    }
  return t;
}

TEST(Contact, LiftsOffWhereTheMultiplierFallsToZero) {
  const double expected = lift_off_time(10.0, -3.6, 0.0);
  const Trajectory friction = run(shipped("friction-on-cubic"), 5e-4, 1.2, 4);
  ASSERT_EQ(friction.contacts.size(), 1U);
  EXPECT_EQ(friction.contacts[0].what, Contact::What::lift_off);
  EXPECT_NEAR(friction.contacts[0].t, expected, 1e-8);
  EXPECT_NEAR(run(windy(), 5e-4, 0.5, 4).contacts.at(0).t, lift_off_time(2.0, -18.0, 10.0), 1e-8);
  // The method itself, of order 1.
  const double coarse = run(shipped("friction-on-cubic"), 0.01, 1.2).contacts.at(0).t - expected;
  const double fine = run(shipped("friction-on-cubic"), 0.005, 1.2).contacts.at(0).t - expected;
  EXPECT_NEAR(slope(coarse, fine), 1.0, 0.05);
}

// The moment does not depend on where the steps lie: the same from a run whose steps are cut differently just before it.
TEST(Contact, LocatesTheMomentToRounding) {
  const Trajectory a = run(shipped("friction-on-cubic"), 0.01, 1.2);
  const double at = a.contacts.at(0).t;
  std::size_t before = 0;
  while (a.records.t[before + 1] < at) ++before;
  const auto number = [](double x) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.17g", x);
    return std::string(buffer);
  };
  const Model model = shipped("friction-on-cubic", {},
                              {{"y1", number(a.records.q[2 * before])},
                               {"y2", number(a.records.q[2 * before + 1])},
                               {"z1", number(a.records.v[2 * before])},
                               {"z2", number(a.records.v[2 * before + 1])}});
  // One step from there to exactly that moment has psi = 0, in either sense a little beyond.
  const double left = at - a.records.t[before];
  const auto psi_after = [&](double h) {
    const Trajectory b = simulate(model, {.method = "euler-true", .step = h, .steps = 1});
    return b.multipliers[0];
  };
  EXPECT_LT(std::fabs(psi_after(left)), 1e-12);
  EXPECT_GT(psi_after(left * (1 - 1e-10)), 1e-11);  // 5e-11: psi falls by 270 per unit of time
  EXPECT_EQ(psi_after(left * (1 + 1e-10)), 0.0);
}

TEST(Contact, FliesOnAParabola) {
  const Trajectory t = run(windy(), 0.01, 2.2);
  ASSERT_EQ(t.contacts.size(), 1U);
  const std::vector<Row> all = rows(t);
  std::size_t first = 0;
  while (all[first].t < t.contacts[0].t) ++first;
  const Row& a = all[first];
  double worst = 0.0;
  for (std::size_t i = first; i < all.size(); ++i) {
    const double s = all[i].t - a.t;
    worst = std::fmax(worst, std::fabs(all[i].y1 - (a.y1 + s * a.z1 + 5.0 * s * s)));
    worst = std::fmax(worst, std::fabs(all[i].y2 - (a.y2 + s * a.z2 - 0.5 * kG * s * s)));
    worst = std::fmax(worst, std::fabs(all[i].z1 - (a.z1 + 10.0 * s)));
    worst = std::fmax(worst, std::fabs(all[i].z2 - (a.z2 - kG * s)));
    EXPECT_EQ(all[i].psi, 0.0);
  }
  EXPECT_GT(all.size() - first, 150U);
  EXPECT_LT(worst, 1e-12);  // 1e-13: rounding of 200 steps
}

TEST(Contact, LandsWhereTheParabolaMeetsTheCurve) {
  // psi < 0 at this start: it leaves at once.
  const Model model = shipped("friction-on-cubic", {}, {{"y1", "-3"}, {"y2", "-0.27"}, {"z1", "10"}, {"z2", "2.7"}});
  const auto gap = [](double t) {
    const double x = -3 + 10 * t;
    return -0.27 + 2.7 * t - kG * t * t / 2 - kB * x * x * x;
  };
  double a = 0.1, b = 1.0;
  ASSERT_GT(gap(a), 0.0);
  ASSERT_LT(gap(b), 0.0);
  for (int i = 0; i < 60; ++i) (gap(0.5 * (a + b)) > 0.0 ? a : b) = 0.5 * (a + b);
  for (const double h : {0.01, 0.1, 0.3, 1.0}) {
    const Trajectory t = run(model, h, 1.0);
    ASSERT_EQ(t.contacts.size(), 1U) << h;
    EXPECT_EQ(t.contacts[0].what, Contact::What::rest);
    EXPECT_NEAR(t.contacts[0].t, a, 1e-13) << h;
    EXPECT_GT(t.multipliers[0], 0.0);
    EXPECT_LT(*t.constraint_position, 1e-14);
  }
}

TEST(Contact, SatisfiesComplementarityAtEveryStep) {
  for (const char* e : {"0", "0.5", "0.9", "1"})
    for (const double h : {0.05, 0.01}) {
      const Trajectory t = run(windy({{"e", e}}), h, 6.0);
      EXPECT_GE(t.contacts.size(), 2U);
      for (const Row& r : rows(t)) {
        EXPECT_GE(r.g(), -2e-13) << r.t;  // y2 is -150 at the end
        EXPECT_GE(r.psi, 0.0) << r.t;
        EXPECT_LT(std::fabs(r.g() * r.psi), 1e-12) << r.t;
      }
      EXPECT_LT(*t.constraint_position, 2e-13);
    }
}

TEST(Contact, NeverGainsEnergy) {
  for (const char* e : {"0", "0.5", "0.9", "1"}) {
    const Trajectory t = run(windy({{"e", e}}), 2e-3, 6.0, 4);
    EXPECT_GE(t.contacts.size(), 2U);
    const std::vector<Row> all = rows(t);
    double gain = 0.0;
    for (std::size_t i = 1; i < all.size(); ++i) gain = std::fmax(gain, all[i].energy(10) - all[i - 1].energy(10));
    EXPECT_LT(gain, 1e-8) << e;
    if (std::string(e) == "0.5") EXPECT_LT(all.back().energy(10), 0.5 * all.front().energy(10));
  }
  // Without loss and friction it is kept through the impacts.
  const std::vector<Row> kept = rows(run(windy({{"e", "1"}, {"cf", "0"}}), 2e-3, 6.0, 4));
  EXPECT_NEAR(kept.back().energy(10), kept.front().energy(10), 1e-9);
}

// Bounces of a ball from height 5 under g = 10 at e = 1/2: t = 1, 2, 2.5, 2.75, ... -> 3.
TEST(Contact, BouncesEndInRest) {
  for (const double h : {0.1, 0.01, 0.7}) {
    const Trajectory t = run(ball(), h, 10.0);
    double expected = 1.0, flight = 1.0;
    for (const Contact& c : t.contacts) {
      EXPECT_NEAR(c.t, expected, 1e-13);
      EXPECT_NEAR(c.speed, -10.0 * flight, 1e-12);
      expected += flight;
      flight *= 0.5;
    }
    EXPECT_EQ(t.contacts.back().what, Contact::What::rest);
    EXPECT_LT(t.contacts.size(), 20U);
    EXPECT_NEAR(t.contacts.back().t, 3.0, 2.0 * h * 1e-3);
    EXPECT_EQ(t.v[1], 0.0);
    EXPECT_NEAR(t.q[1], 0.0, 1e-15);
    EXPECT_NEAR(t.multipliers[0], 10.0, 1e-12);
  }
}

TEST(Contact, TakesManyBouncesInOneStepWithoutHanging) {
  const Trajectory t = run(ball({{"e", "0.999"}}), 50.0, 5000.0);
  EXPECT_GT(t.contacts.size(), 1000U);
  EXPECT_LT(t.wall_seconds, 5.0);  // 0.1
  const Trajectory elastic = run(ball({{"e", "1"}}), 0.5, 1000.0);
  EXPECT_EQ(elastic.contacts.size(), 500U);
  EXPECT_NEAR(elastic.q[1], 5.0, 1e-9);  // at the top again
}

TEST(Contact, KeepsOneConstraintWhileItMeetsAnother) {
  // On the floor from the start, into the wall at t = 1 with e = 1/2, and back.
  const Trajectory t = run(ball({}, {{"y", "0"}, {"x", "1"}, {"u", "-1"}}), 0.3, 3.0);
  ASSERT_EQ(t.contacts.size(), 1U);
  EXPECT_EQ(t.contacts[0].constraint, 1);
  EXPECT_NEAR(t.contacts[0].t, 1.0, 1e-14);
  EXPECT_NEAR(t.q[0], 1.0, 1e-14);
  EXPECT_NEAR(t.v[0], 0.5, 1e-15);
  EXPECT_NEAR(t.q[1], 0.0, 1e-15);
  EXPECT_NEAR(t.multipliers[0], 10.0, 1e-13);
  EXPECT_EQ(t.multipliers[1], 0.0);
  // Both at the same moment.
  const Trajectory corner = run(ball({{"e", "0"}}, {{"y", "5"}, {"x", "1"}, {"u", "-1"}}), 0.3, 3.0);
  EXPECT_NEAR(corner.q[0], 0.0, 1e-14);
  EXPECT_NEAR(corner.q[1], 0.0, 1e-14);
}

// A bead on a wire, which always holds it, with a stop at y = -0.5.
TEST(Contact, StandsBesideConstraintsThatAlwaysHold) {
  const Model bead = parse_model(R"toml(
kind        = "odae"
positions   = ["x", "y"]
velocities  = ["u", "v"]
multipliers = ["tension", "push"]
unilateral  = ["stop"]
restitution = 1.0
[v]
x = "u"
y = "v"
[f]
v = "-9.81"
[r]
u = "x*tension"
v = "y*tension + push"
[constraints]
wire = "(x^2 + y^2 - 1)/2"
stop = "y + 0.5"
[initial]
x = 1
)toml",
                                 "bead.toml");
  const Trajectory t = run(bead, 0.002, 5.0, 4);
  EXPECT_GE(t.contacts.size(), 3U);
  for (const Contact& c : t.contacts) EXPECT_EQ(c.constraint, 1);
  EXPECT_LT(*t.constraint_position, 1e-14);
  EXPECT_LT(*t.constraint_velocity, 1e-13);
  const double energy = (t.v[0] * t.v[0] + t.v[1] * t.v[1]) / 2 + 9.81 * t.q[1];
  EXPECT_NEAR(energy, 0.0, 1e-8);
}

// A constraint that is met and left within one step is not overlooked.
TEST(Contact, NoticesAGrazeBetweenTwoSteps) {
  // A shot at y = 2 over a bump at x = 0 that reaches up to 3.
  const Model bump = parse_model(R"toml(
kind        = "odae"
positions   = ["x", "y"]
velocities  = ["u", "v"]
multipliers = ["n"]
unilateral  = ["bump"]
[v]
x = "u"
y = "v"
[f]
v = "-0.01"
[r]
u = "6*100*x/(1 + 100*x^2)^2*n"
v = "n"
[constraints]
bump = "y - 3/(1 + 100*x^2)"
[initial]
x = -1.02
y = 2
u = 1
)toml",
                                 "bump.toml");
  const Trajectory t = run(bump, 2.0, 2.0);  // from x = -1 to x = 1 in one step
  ASSERT_GE(t.contacts.size(), 1U);
  EXPECT_LT(t.contacts[0].t, 1.02);
  EXPECT_GT(t.contacts[0].t, 0.9);
}

TEST(Contact, ContinuesWithTheSameBits) {
  const Maker maker = method("euler-true", 0, 2);
  for (const int steps : {5, 40, 250, 400}) {
    Motion whole(windy(), maker), resumed(windy(), maker);
    whole.advance(0.01, steps);
    const std::vector<double> saved = whole.stepper->save();
    whole.advance(0.01, 150);
    resumed.stepper->load(saved);
    resumed.advance(0.01, 150);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(whole.stepper->q()[i], resumed.stepper->q()[i]) << steps;
      EXPECT_EQ(whole.stepper->v()[i], resumed.stepper->v()[i]) << steps;
    }
    EXPECT_EQ(whole.stepper->contacts().size(), resumed.stepper->contacts().size());
  }
}

std::string refusal(const Model& model, Options options = {}) {
  options.method = options.method.empty() ? "euler-true" : options.method;
  options.step = 0.01;
  options.steps = 1;
  try {
    (void)simulate(model, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Contact, RefusesStartsThatNoMotionHas) {
  EXPECT_EQ(
      refusal(ball({}, {{"y", "-0.25"}})),
      "initial state lies beyond unilateral constraint 'floor', which requires g >= 0: g = -2.500e-01. Correct the "
      "start, or pass --project to move it to the nearest consistent one");
  EXPECT_EQ(refusal(ball({}, {{"y", "0"}, {"v", "-2"}})),
            "initial state touches unilateral constraint 'floor' and moves into it: dg/dt = -2.000e+00. Start a little "
            "before the impact or with dg/dt >= 0, or pass --project to remove that velocity");
  EXPECT_EQ(refusal(ball({}, {{"y", "-0.25"}}), {.project = true}), "");
  std::string text = ball().text;
  text.replace(text.find("v = \"n\""), 7, "v = \"-n\"");
  EXPECT_EQ(
      refusal(parse_model(text, "pull.toml")),
      "the multiplier of unilateral constraint 'floor' pulls towards it: a positive psi must push g = floor up (g_y "
      "v_z r_psi > 0). Change the sign of the constraint or of its multiplier in [r]");
  text = ball().text;
  text.replace(text.find("v = \"n\""), 7, "v = \"n^3 + n\"");
  EXPECT_EQ(
      refusal(parse_model(text, "cube.toml")),
      "the reaction of a unilateral constraint grows faster than its multiplier, so an impulse has no direction. Let "
      "r grow at most linearly in psi");
}

TEST(Contact, DoesNotRunBackwards) {
  const Trajectory t = simulate(ball(), {.method = "euler-true", .step = -0.1, .steps = 1});
  EXPECT_EQ(t.status, Status::stopped);
  EXPECT_NE(t.message.find("an impact cannot be undone"), std::string::npos) << t.message;
  const Trajectory back = simulate(ball(), {.method = "euler-true", .step = 0.1, .steps = 1, .audit_reverse = true});
  EXPECT_FALSE(back.reverse_defect);
  ASSERT_EQ(back.notes.size(), 1U);
}

}  // namespace
}  // namespace rattleback::testing
