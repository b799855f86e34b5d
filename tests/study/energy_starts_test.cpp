// Random starts on an energy surface: energies and constraints hold to rounding, and velocities are distributed as they should be.
// What they are compared with is computed by a run of its own from each start, or is known in closed form.
#include <algorithm>
#include <numbers>

#include "study/support.hpp"

namespace rattleback::testing {
namespace {

double at(const Members& m, std::size_t member, const std::string& name) {
  const auto i = static_cast<std::size_t>(std::find(m.names.begin(), m.names.end(), name) - m.names.begin());
  return m.values[member * m.names.size() + i];
}

// Largest distance between the distribution of a sample and a known one, times sqrt(n). [Kolmogorov's law: above 1.95 with
// probability 1e-3]
template <class Distribution>
double kolmogorov(std::vector<double> sample, const Distribution& f) {
  std::sort(sample.begin(), sample.end());
  const double n = static_cast<double>(sample.size());
  double out = 0.0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double x = f(sample[i]);
    out = std::max({out, std::fabs(x - static_cast<double>(i) / n), std::fabs(x - static_cast<double>(i + 1) / n)});
  }
  return out * std::sqrt(n);
}

TEST(EnergyStarts, HaveTheEnergyAndSatisfyTheConstraints) {
  struct Case {
    const char* system;
    std::vector<Spread> spread;
    double energy;
  };
  for (const Case& c : {Case{"double-pendulum", {{"x1", 0.3}, {"y1", 0.3}, {"x2", 0.3}, {"y2", 0.3}}, 30.0},
                        Case{"chaplygin-sleigh", {{"x", 0.5}, {"y", 0.5}, {"theta", 2.0}}, 3.0},
                        Case{"rolling-disk", {{"phi", 1.0}, {"theta", 0.2}}, 40.0}, Case{"heavy-top", {}, 100.0},
                        Case{"skate", {{"x", 1.0}}, -0.2}}) {
    const Model model = load_model(c.system);
    const Members found = members_on_energy(model, c.energy, c.spread, 20, 5);
    ASSERT_EQ(found.count, 20U);
    for (std::size_t i = 0; i < found.count; ++i) {
      Model one = model;
      for (std::size_t k = 0; k < one.q0.size(); ++k) {
        one.q0[k] = found.values[i * found.names.size() + k];
        one.v0[k] = found.values[i * found.names.size() + one.q0.size() + k];
      }
      // A run judges its start as it does every start, and refuses it beyond rounding.
      const Trajectory run = simulate(one, {.step = 1e-3, .steps = 0});
      EXPECT_NEAR(run.energy->initial, c.energy, 4e-14 * std::fmax(run.energy->max_kinetic, std::fabs(c.energy)))
          << c.system << ' ' << i;
    }
  }
}

// By hand: T + V of the double pendulum, its rods, and their velocities.
TEST(EnergyStarts, AreThoseOfThePendulumByHand) {
  const Members found = members_on_energy(load_model("double-pendulum"), 12.5,
                                          {{"x1", 0.5}, {"y1", 0.5}, {"x2", 1.0}, {"y2", 1.0}}, 200, 9);
  for (std::size_t i = 0; i < found.count; ++i) {
    const auto get = [&](const char* name) { return at(found, i, name); };
    const double x1 = get("x1"), y1 = get("y1"), x = get("x2") - x1, y = get("y2") - y1, u1 = get("x1'"),
                 v1 = get("y1'"), u2 = get("x2'"), v2 = get("y2'");
    EXPECT_NEAR(1.5 * (u1 * u1 + v1 * v1) + 0.5 * (u2 * u2 + v2 * v2) + 9.81 * (3.0 * y1 + get("y2")), 12.5, 1e-12);
    EXPECT_NEAR(x1 * x1 + y1 * y1, 1.0, 4e-15);
    EXPECT_NEAR(x * x + y * y, 1.0, 4e-15);
    EXPECT_NEAR(x1 * u1 + y1 * v1, 0.0, 4e-14);
    EXPECT_NEAR(x * (u2 - u1) + y * (v2 - v1), 0.0, 4e-14);
  }
}

// Archimedes: each coordinate of a point on a sphere in space is uniform between -1 and 1. Here of the velocities times the
// roots of the masses; the radius is sqrt(2 (E - V)).
TEST(EnergyStarts, AreUniformInTheMetricOfTheMass) {
  const Model model = parse_model(
      "coordinates = ['x', 'y', 'z']\n[lagrangian]\nkinetic = \"(x'^2 + 4*y'^2 + 0.25*z'^2)/2\"\npotential = '3'\n",
      "three.toml");
  const Members found = members_on_energy(model, 11.0, {}, 4000, 2);
  for (const auto& [name, root] : {std::pair{"x'", 1.0}, std::pair{"y'", 2.0}, std::pair{"z'", 0.5}}) {
    std::vector<double> sample;
    for (std::size_t i = 0; i < found.count; ++i) sample.push_back(at(found, i, name) * root / 4.0);
    EXPECT_LT(kolmogorov(sample, [](double x) { return std::clamp((x + 1.0) / 2.0, 0.0, 1.0); }), 1.95) << name;
    // The test would see velocities that are uniform without the masses.
    for (double& x : sample) x = std::clamp(x * 1.3, -1.0, 1.0);
    EXPECT_GT(kolmogorov(sample, [](double x) { return std::clamp((x + 1.0) / 2.0, 0.0, 1.0); }), 1.95) << name;
  }
}

// Of the double pendulum two directions are left. With the rates a, b of its rods, which stand at right angles,
// 2 T = (m1 + m2) a^2 + m2 b^2: the angle of (sqrt(4) a, b) is uniform.
TEST(EnergyStarts, AreUniformWhereConstraintsLeaveTwoDirections) {
  const Model model = load_model("double-pendulum", {.start = {{"x1", "0"}, {"y1", "-1"}, {"x2", "1"}, {"y2", "-1"}}});
  const Members found = members_on_energy(model, 5.0, {}, 4000, 3);
  std::vector<double> angles;
  for (std::size_t i = 0; i < found.count; ++i) {
    const double a = at(found, i, "x1'"), b = at(found, i, "y2'") - at(found, i, "y1'");
    EXPECT_NEAR(2.0 * a * a + 0.5 * b * b, 5.0 + 4.0 * 9.81, 1e-12);
    angles.push_back(std::atan2(b, 2.0 * a));
  }
  EXPECT_LT(kolmogorov(angles, [](double x) { return 0.5 + x / (2.0 * std::numbers::pi); }), 1.95);
}

// A constraint that moves has work in it: the rest of the energy goes into what is free.
TEST(EnergyStarts, TakeConstraintsThatMove) {
  const Model model = parse_model(
      "coordinates = ['x', 'y']\n[lagrangian]\nkinetic = \"(x'^2 + 2*y'^2)/2\"\npotential = '0'\n"
      "[constraints.nonholonomic]\nbelt = \"y' - 3\"\n[initial]\n\"y'\" = 3\n",
      "belt.toml");
  const Members found = members_on_energy(model, 17.0, {}, 50, 1);
  int right = 0;
  for (std::size_t i = 0; i < found.count; ++i) {
    EXPECT_NEAR(at(found, i, "y'"), 3.0, 1e-15);
    EXPECT_NEAR(std::fabs(at(found, i, "x'")), 4.0, 1e-14);
    right += at(found, i, "x'") > 0.0 ? 1 : 0;
  }
  EXPECT_GT(right, 15);
  EXPECT_LT(right, 35);
}

// Positions with too much potential energy are drawn again; a member of a larger ensemble is that of a smaller one.
TEST(EnergyStarts, DrawPositionsAgainThatAreTooHigh) {
  const Model model =
      parse_model("coordinates = ['x']\n[lagrangian]\nkinetic = \"x'^2/2\"\npotential = 'x^2/2'\n", "spring.toml");
  const Members many = members_on_energy(model, 0.5, {{"x", 1.0}}, 3000, 4),
                few = members_on_energy(model, 0.5, {{"x", 1.0}}, 10, 4);
  std::vector<double> x;
  for (std::size_t i = 0; i < many.count; ++i) {
    x.push_back(at(many, i, "x"));
    EXPECT_LE(std::fabs(x.back()), 1.0);
  }
  for (std::size_t i = 0; i < few.values.size(); ++i) EXPECT_EQ(few.values[i], many.values[i]);
  // What is left of a normal distribution between -1 and 1.
  const auto phi = [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };
  EXPECT_LT(kolmogorov(x, [&](double z) { return (phi(z) - phi(-1.0)) / (phi(1.0) - phi(-1.0)); }), 1.95);
}

TEST(EnergyStarts, SayWhatCannotBe) {
  const Model pendulum = load_model("double-pendulum");
  EXPECT_EQ(
      message_of([&] { members_on_energy(pendulum, -1e3, {}, 3, 1); }),
      "member 0: --energy -1000 is less than what the start has without moving: 0. Ask for more energy, or for other "
      "positions with --start and --spread");
  EXPECT_TRUE(message_of([&] {
                members_on_energy(pendulum, -1e3, {{"x1", 0.1}}, 3, 1);
              }).starts_with("member 0: --energy -1000 is less than what all of 1000 positions have without moving: "));
  EXPECT_EQ(
      message_of([&] {
        members_on_energy(pendulum, 1.0, {{"x1'", 0.1}}, 3, 1);
      }),
      "--spread x1': with --energy positions are spread, and velocities follow from the energy; 'x1'' is no position");
  EXPECT_EQ(
      message_of([&] { members_on_energy(load_model("suslov"), 1.0, {}, 3, 1); }),
      "--energy draws velocities of mechanical systems, and 'suslov' is of kind skew-gradient. Use --spread alone");
  EXPECT_EQ(message_of([&] { members_on_energy(pendulum, std::nan(""), {}, 3, 1); }),
            "--energy must be a finite number, found nan");
}

// A run of such members: the same energy in all of them, and nothing of it depends on threads.
TEST(EnergyStarts, RunAsMembers) {
  const Model model = load_model("double-pendulum");
  EnsembleRequest r;
  r.members = members_on_energy(model, 12.0, {{"x1", 0.2}}, 40, 7);
  r.options.step = 0.01;
  r.options.until = 0.5;
  r.threads = 1;
  const EnsembleReport one = ensemble(MemberSource{"double-pendulum"}, r);
  EXPECT_TRUE(one.failed.empty());
  EXPECT_EQ(one.moved, 0U);  // they are consistent as they are
  EXPECT_EQ(one.columns[0], "start.x1");
  EXPECT_EQ(one.columns[7], "start.y2'");
  r.threads = 3;
  const EnsembleReport three = ensemble(MemberSource{"double-pendulum"}, r);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(one.members[i].q, three.members[i].q);
}

}  // namespace
}  // namespace rattleback::testing
