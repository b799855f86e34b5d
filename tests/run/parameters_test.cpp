// Parameters and starts change without anything being derived: with the numbers of a run that was derived for them, and at a
// small part of what deriving costs.
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "rattleback/error.hpp"
#include "rattleback/stepper.hpp"
#include "support/count_allocations_of.hpp"

namespace rattleback::testing {
namespace {

// A bead on a wire between two grounds: it bounces, rests and is thrown up again; a second bead never leaves its rail.
const char* const kBouncing = R"toml(kind = "odae"
positions = ["x", "y", "s"]
velocities = ["u", "w", "r"]
multipliers = ["floor_force", "rail_force"]
unilateral = ["floor"]
restitution = 0.5
[parameters]
g = 9.81
m = 2.0
push = 0.5
[v]
x = "u"
y = "w"
s = "r"
[f]
u = "push/m"
w = "-g"
r = "-s - g"
[r]
w = "floor_force/m"
r = "rail_force/m"
[constraints]
floor = "y"
rail = "s - 1"
[initial]
y = 0.2
s = 1
u = 1
)toml";

// A rod twice.
const char* const kDouble = R"toml(coordinates = ["x", "y"]
[parameters]
g = 9.81
m = 1.5
[lagrangian]
kinetic = "m*(x'^2 + y'^2)/2"
potential = "m*g*y"
[constraints.holonomic]
rod = "x^2 + y^2 - 1"
[constraints.nonholonomic]
again = "x*x' + y*y'"
[initial]
x = 1
)toml";

struct Case {
  const char* name;
  Model model;
  Options options;
  const char* parameter;
};

std::vector<Case> cases() {
  const Model bouncing = parse_model(kBouncing, "bouncing.toml"), twice = parse_model(kDouble, "twice.toml");
  std::vector<Case> out;
  for (const char* const method : {"euler-true", "euler-natural", "euler-conjugate-true"}) {
    out.push_back({method, load_model("friction-on-cubic"), {.method = method, .step = 0.005, .native = "off"}, "g"});
    out.push_back({method, bouncing, {.method = method, .step = 0.01, .native = "off"}, "g"});
    out.push_back({method, load_model("double-pendulum"), {.method = method, .step = 0.01, .native = "off"}, "m1"});
  }
  for (const char* const method : {"rattle", "spark-lobatto-ab", "prk-murua"})
    out.push_back({method, twice, {.method = method, .step = 0.01, .redundant = "minimum-norm", .native = "off"}, "g"});
  return out;
}

std::vector<double> list(std::span<const double> x) { return {x.begin(), x.end()}; }

TEST(Parameters, ChangeWithoutBeingDerivedFor) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.model.key + ", " + c.name);
    const long none = allocations_so_far();
    Stepper stepper(c.model, c.options);
    const long derived = allocations_so_far() - none;
    ASSERT_TRUE(stepper.advance(8)) << stepper.message();
    double value = 1.0;
    for (const auto& [name, usual] : c.model.parameters)
      if (name == c.parameter) value = usual;
    stepper.set_parameter(c.parameter, 1.1 * value);
    const long settled = allocations_so_far();
    for (int k = 0; k < 10; ++k) stepper.set_parameter(c.parameter, value * (1.2 + 0.01 * k));
    const long changed = allocations_so_far() - settled;
    EXPECT_EQ(c.options.redundant.given() ? 0 : changed, 0);
    EXPECT_LT(changed, derived / 2);  // ten of them

    // The motion is that of a run which begins there.
    Options then = c.options;
    then.from = stepper.t();
    then.q0 = list(stepper.q());
    then.v0 = list(stepper.v());
    then.parameters = {{c.parameter, 0.9 * value}};
    stepper.set_parameter(c.parameter, 0.9 * value);
    Stepper anew(c.model, then);
    for (int k = 0; k < 40; ++k) {
      const StepReport a = stepper.step(), b = anew.step();
      ASSERT_EQ(a.ok, b.ok) << stepper.message() << anew.message();
      if (!a.ok) break;
      for (std::size_t i = 0; i < anew.q().size(); ++i)
        ASSERT_NEAR(stepper.q()[i], anew.q()[i], 1e-9 * (1.0 + std::fabs(anew.q()[i]))) << k;
      for (std::size_t i = 0; i < anew.v().size(); ++i)
        ASSERT_NEAR(stepper.v()[i], anew.v()[i], 1e-8 * (1.0 + std::fabs(anew.v()[i]))) << k;
    }
    EXPECT_NEAR(stepper.t(), anew.t(), 1e-12);
  }
}

// As if each were the first: one after the other, with other parameters and starts.
TEST(Parameters, RunsOfPreparedOverdeterminedSystemsAreNotDerivedAgain) {
  for (Case& c : cases()) {
    if (c.options.redundant.given()) continue;
    SCOPED_TRACE(c.model.key + ", " + c.name);
    c.options.steps = 30;
    const Prepared prepared = prepare(c.model, c.options);
    (void)prepared.run();
    double value = 1.0;
    for (const auto& [name, usual] : c.model.parameters)
      if (name == c.parameter) value = usual;
    for (const double factor : {1.1, 0.8, 1.0, 1.1}) {
      Options o = c.options;
      o.parameters = {{c.parameter, factor * value}};
      const long before = allocations_so_far();
      const Trajectory alone = simulate(c.model, o);
      const long middle = allocations_so_far();
      const Trajectory run = prepared.run(o);
      const long after = allocations_so_far();
      EXPECT_LT(2 * (after - middle), middle - before);
      ASSERT_EQ(run.steps, alone.steps);
      EXPECT_EQ(run.contacts.size(), alone.contacts.size());
      const auto same = [](const std::vector<double>& a, const std::vector<double>& b) {
        return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
      };
      EXPECT_TRUE(same(run.records.q, alone.records.q));
      EXPECT_TRUE(same(run.records.v, alone.records.v));
      EXPECT_TRUE(same(run.records.multipliers, alone.records.multipliers));
    }
  }
}

// A number that a parameter has decided for good is not forgotten: it is derived for the new one.
TEST(Parameters, OfARestitutionActToo) {
  std::string text = kBouncing;
  text.replace(text.find("restitution = 0.5"), 17, "restitution = \"e/2\"");
  text.replace(text.find("g = 9.81"), 8, "g = 9.81\ne = 1.0");
  const Model model = parse_model(text, "bouncing.toml");
  const Options options{.method = "euler-true", .step = 0.01, .steps = 60, .native = "off"};
  Options other = options;
  other.parameters = {{"e", 0.4}};
  const Trajectory expected = simulate(model.with({{"e", "0.4"}}), options);
  const Prepared prepared = prepare(model, options);
  EXPECT_NE(prepared.run().q[1], expected.q[1]);
  EXPECT_EQ(prepared.run(other).q, expected.q);
  Stepper stepper(model, options);
  stepper.set_parameter("e", 0.4);
  ASSERT_TRUE(stepper.advance(60)) << stepper.message();
  EXPECT_NEAR(stepper.q()[1], expected.q[1], 1e-12);
}

}  // namespace
}  // namespace rattleback::testing
