// Momenta that are not kept: what forces and constraints do along a symmetry is added up with the quadrature of the method.
// Numbers at line ends: measured.
#include <algorithm>

#include <fmt/format.h>

#include "rattleback/audit.hpp"
#include "rattleback/write.hpp"
#include "run/support.hpp"
#include "support/json.hpp"

namespace rattleback::testing {
namespace {

// A pendulum in a plane: the rod pushes along x and y, and gravity acts along turns. A damper takes angular momentum.
const char* const kPendulum = R"toml(coordinates = ["x", "y"]
[parameters]
g = 9.81
c = 0.3
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
[forces]
x = "-c*x'"
y = "-g - c*y'"
[constraints.holonomic]
rod = "(x^2 + y^2 - 1)/2"
[symmetries.turn]
x = "-y"
y = "x"
[symmetries.along]
x = "1"
[initial]
x = 0.8
y = -0.6
"x'" = 0.3
"y'" = 0.4
)toml";

Options options(const std::string& method, int stages, double h) {
  return {.method = method, .stages = stages, .step = h, .until = 2.0, .native = "off"};
}

const MomentumAudit& of(const Trajectory& run, const std::string& name) {
  for (const MomentumAudit& m : run.momenta)
    if (m.name == name) return m;
  throw Error("no momentum " + name);
}

// J of a turn is bilinear in positions and momenta: schemes that keep such invariants close its equation to rounding, with
// whatever acts. A momentum along a line is linear: all of them do.
TEST(Momenta, CloseToRoundingWhereTheSchemeIsExact) {
  const Model model = parse_model(kPendulum, "pendulum.toml");
  for (const auto& [method, stages, formulation] : {std::tuple("prk-lobatto", 3, ""),
                                                    {"prk-lobatto", 4, ""},
                                                    {"spark-gauss", 2, "index2"},
                                                    {"prk-murua", 2, "ggl"}}) {
    SCOPED_TRACE(method);
    Options o = options(method, stages, 0.05);
    o.formulation = formulation;
    const Trajectory run = simulate(model, o);
    ASSERT_EQ(run.status, Status::done) << run.message;
    ASSERT_EQ(run.momenta.size(), 2U);
    for (const MomentumAudit& m : run.momenta) {
      ASSERT_TRUE(m.residual) << m.name;
      EXPECT_LT(*m.residual, 5e-15) << m.name;
      EXPECT_NEAR(m.final - m.initial, *m.impulse, 1e-13) << m.name;
    }
    // J by hand.
    EXPECT_NEAR(of(run, "turn").initial, 0.8 * 0.4 + 0.6 * 0.3, 1e-15);
    EXPECT_NEAR(of(run, "turn").final, run.q[0] * run.v[1] - run.q[1] * run.v[0], 1e-15);
    EXPECT_NEAR(of(run, "along").final, run.v[0], 1e-15);
  }
}

// Others close it with an error of the order of a step.
TEST(Momenta, CloseToTheOrderElsewhere) {
  const Model model = parse_model(kPendulum, "pendulum.toml");
  for (const auto& [method, stages, order] : {std::tuple("rk-radau-iia", 2, 3), {"rk-lobatto-iiia", 3, 4}}) {
    SCOPED_TRACE(method);
    Options o = options(method, stages, 0.1);
    o.formulation = "index2";
    const double coarse = of(simulate(model, o), "turn").residual.value();
    o.step = 0.025;
    const Trajectory run = simulate(model, o);
    const double fine = of(run, "turn").residual.value();
    EXPECT_GT(fine, 1e-12);
    EXPECT_GT(std::log2(coarse / fine) / 2.0, order + 0.5);  // in each step: one more
    EXPECT_LT(of(run, "along").residual.value(), 1e-14);
  }
}

TEST(Momenta, AreToldAsFarAsTheMethodDoes) {
  const Model model = parse_model(kPendulum, "pendulum.toml");
  const Trajectory run = simulate(model, options("ode-dop853", 0, 0.05));
  ASSERT_EQ(run.momenta.size(), 2U);
  EXPECT_FALSE(run.momenta[0].residual);
  EXPECT_TRUE(nlohmann::json::parse(to_json(model, run))["symmetries"]["turn"]["residual"].is_null());
  const std::vector<Statement> said = audit_statements(model, run);
  EXPECT_TRUE(std::ranges::any_of(
      said, [](const Statement& s) { return s.text.ends_with("ode-dop853 does not tell what acted along it."); }));

  Options o = options("prk-lobatto", 3, 0.05);
  const Trajectory told = simulate(model, o);
  EXPECT_FALSE(told.power_balance);
  const auto json = nlohmann::json::parse(to_json(model, told));
  EXPECT_NEAR(json["symmetries"]["turn"]["final"].get<double>() - json["symmetries"]["turn"]["initial"].get<double>(),
              json["symmetries"]["turn"]["impulse"].get<double>(), 1e-13);
  EXPECT_FALSE(json.contains("power_balance"));
  // Beside the work of forces, and it changes nothing.
  o.audit_power = true;
  const Trajectory both = simulate(model, o);
  EXPECT_TRUE(both.power_balance);
  EXPECT_EQ(both.momenta[0].residual, told.momenta[0].residual);
  EXPECT_EQ(both.q, told.q);
  Options plain = options("prk-lobatto", 3, 0.05);
  const std::string text = kPendulum;
  const std::size_t first = text.find("[symmetries.turn]"), last = text.find("[initial]");
  EXPECT_EQ(simulate(parse_model(text.substr(0, first) + text.substr(last), "p.toml"), plain).q, told.q);
}

// One that is kept is none of these, and has no column of its own here.
TEST(Momenta, ThatAreKeptAreInvariants) {
  std::string text = kPendulum;
  text.replace(text.find("g = 9.81"), 8, "g = 0.0 ");
  text.replace(text.find("c = 0.3"), 7, "c = 0.0");
  const Trajectory run = simulate(parse_model(text, "p.toml"), options("prk-lobatto", 3, 0.05));
  ASSERT_EQ(run.momenta.size(), 1U);
  EXPECT_EQ(run.momenta[0].name, "along");
  ASSERT_EQ(run.invariants.size(), 1U);
  EXPECT_EQ(run.invariants[0].name, "turn");
}

}  // namespace
}  // namespace rattleback::testing
