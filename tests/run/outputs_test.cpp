// Numbers that users ask for: outputs of the model, further columns, events with reactions.
#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include "output/csv.hpp"
#include "rattleback/dynamics.hpp"
#include "rattleback/error.hpp"
#include "rattleback/simulate.hpp"
#include "rattleback/write.hpp"
#include "support/json.hpp"

namespace rattleback::testing {
namespace {

constexpr const char* kPendulum = R"toml(coordinates = ["x", "y"]
parameters = { l = 1, m = 2, g = 9.81 }
[define]
speed2 = "x'^2 + y'^2"
"part[i=1:2]" = "i*x"
[lagrangian]
kinetic = "m*speed2/2"
potential = "m*g*y"
[constraints.holonomic]
rod = "(x^2 + y^2 - l^2)/2"
[outputs]
pull = "lambda(rod)*l"
ax = "x''"
"twice[i=1:2]" = "2*part[i]"
[initial]
x = 1
)toml";

std::string refusal(const Model& model, const Options& options) {
  try {
    (void)simulate(model, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Outputs, AreColumnsAndEndValues) {
  const Model model = parse_model(kPendulum, "pendulum.toml");
  for (const char* const method : {"rattle", "prk-lobatto"})
    for (const double output_every : {0.0, 0.033}) {
      SCOPED_TRACE(method);
      Options options{.method = method, .step = 0.01, .steps = 60, .native = "off"};
      options.output_every = output_every;
      const Trajectory run = simulate(model, options);
      ASSERT_EQ(run.quantity_names, (std::vector<std::string>{"pull", "ax", "twice[1]", "twice[2]"}));
      const std::vector<double> pull = run.column("pull"), lambda = run.column("lambda.rod"), x = run.column("x"),
                                ax = run.column("ax"), twice = run.column("twice[2]");
      Dynamics exact(model);
      for (std::size_t row = 0; row < run.records.rows; ++row) {
        EXPECT_EQ(pull[row], lambda[row]);
        EXPECT_EQ(twice[row], 4.0 * x[row]);
        exact.set(run.records.t[row], run.records.q_at(row), run.records.v_at(row));
        std::vector<double> a(2), l(1);
        exact.acceleration(a, l);
        EXPECT_NEAR(ax[row], a[0], 1e-11);
      }
      EXPECT_EQ(run.quantities[0], run.multipliers[0]);
      const auto json = nlohmann::json::parse(to_json(model, run));
      EXPECT_EQ(json["outputs"]["pull"].get<double>(), run.quantities[0]);
      EXPECT_EQ(json["outputs"]["twice[2]"].get<double>(), run.quantities[3]);
      EXPECT_NE(to_text(model, run).find("pull"), std::string::npos);
    }
}

TEST(Outputs, DefinitionsAccelerationsAndPatternsOnRequest) {
  const Model model = parse_model(kPendulum, "pendulum.toml");
  Options options{.method = "rattle", .step = 0.01, .steps = 5, .native = "off"};
  options.output_columns = "speed2, part*, y'', atan2(x, -y)";
  const Trajectory run = simulate(model, options);
  EXPECT_EQ(run.quantity_names, (std::vector<std::string>{"pull", "ax", "twice[1]", "twice[2]", "speed2", "part[1]",
                                                          "part[2]", "y''", "atan2(x, -y)"}));
  const std::vector<double> speed2 = run.column("speed2"), vx = run.column("x'"), vy = run.column("y'");
  for (std::size_t i = 0; i < speed2.size(); ++i) EXPECT_EQ(speed2[i], vx[i] * vx[i] + vy[i] * vy[i]);
  options.output_columns = "nothing";
  EXPECT_NE(refusal(model, options).find("unknown name `nothing`"), std::string::npos) << refusal(model, options);
  options.output_columns = "nothing*";
  EXPECT_NE(refusal(model, options).find("matches 'nothing*'"), std::string::npos) << refusal(model, options);
}

TEST(Outputs, ASelectionIsAllThatIsWritten) {
  const Model model = parse_model(kPendulum, "pendulum.toml");
  Options options{.method = "rattle", .step = 0.01, .steps = 3, .native = "off"};
  options.output_columns = "=t,twice*,y''";
  const Trajectory run = simulate(model, options);
  const std::string path = ::testing::TempDir() + "/selected.csv";
  report::write_csv(model, run, path);
  std::ifstream file(path);
  std::string header;
  std::getline(file, header);
  EXPECT_EQ(header, "t,twice[1],twice[2],y''");
  std::string row;
  std::getline(file, row);
  EXPECT_EQ(row.substr(0, row.find(',', 2)), "0,2");
  EXPECT_EQ(run.column("x").size(), 4U);  // in the records all are there
}

TEST(Outputs, OfOtherKinds) {
  const Model dae = parse_model(R"toml(kind = "dae"
states = ["a", "b"]
algebraic = ["z"]
[rhs]
a = "b - a*z"
b = "-a - b*z"
[constraints]
circle = "a^2 + b^2 - 1"
[outputs]
push = "2*z + a"
[initial]
a = 1
)toml",
                                "circle.toml");
  const Trajectory run = simulate(dae, {.method = "srk-gauss", .stages = 2, .step = 0.1, .steps = 5});
  for (std::size_t i = 0; i < run.records.rows; ++i)
    EXPECT_EQ(run.column("push")[i], 2.0 * run.column("z")[i] + run.column("a")[i]);
  EXPECT_THROW((void)parse_model(R"toml(kind = "skew-gradient"
states = ["p", "q"]
hamiltonian = "(p^2 + q^2)/2"
[pi]
"p,q" = "-1"
[outputs]
wrong = "q''"
)toml",
                                 "oscillator.toml"),
               Error);
}

// Where the pull of the rod passes a value: the multiplier is that of the acceleration level.
TEST(Outputs, EventsMayAskForReactions) {
  const Model model = parse_model(kPendulum, "pendulum.toml");
  Options options{.method = "prk-lobatto", .stages = 3, .step = 0.01, .until = 0.5, .native = "off"};
  options.event = {"lambda(rod) - 20", "x'' + 9"};
  const Trajectory run = simulate(model, options);
  ASSERT_FALSE(run.events.empty());
  Dynamics exact(model);
  int reactions = 0;
  for (const EventFound& e : run.events) {
    exact.set(e.t, e.q, e.v);
    std::vector<double> a(2), l(1);
    exact.acceleration(a, l);
    if (e.event == options.event[0]) {
      EXPECT_NEAR(std::fabs(l[0]), 20.0, 1e-10);
      ++reactions;
    } else {
      EXPECT_NEAR(a[0], -9.0, 1e-10);
    }
  }
  EXPECT_GE(reactions, 1);
}

// The momentum about the vertical: a method that keeps quadratic invariants keeps it, another does not.
// One that is 0 is judged by the size of what cancels in it.
TEST(Invariants, ThatAreZeroAreKeptToRounding) {
  const Model model = parse_model(
      "coordinates = ['x', 'y']\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\n"
      "potential = '(x^2 + y^2)/2 + 0.1*(x^2 + y^2)^2'\n[symmetries.turn]\nx = '-y'\ny = 'x'\n[initial]\nx = 0.3\ny = "
      "0.7\n"
      "\"x'\" = 0.3\n\"y'\" = 0.7\n",
      "m.toml");
  const Trajectory run = simulate(model, {.step = 0.05, .until = 50});
  ASSERT_EQ(run.invariants.size(), 1U);
  EXPECT_LT(run.invariants[0].max_error, 1e-13);
  EXPECT_GT(run.invariants[0].size, 0.1);                                             // of x y', not of the difference
  EXPECT_NE(to_text(model, run).find("Invariant turn: kept to"), std::string::npos);  // "not kept" before
}

TEST(Invariants, AreAuditedAlongARun) {
  const Model model = parse_model(R"toml(coordinates = ["x", "y", "z"]
parameters = { g = 9.81, m = 2 }
[lagrangian]
kinetic = "m*(x'^2 + y'^2 + z'^2)/2"
potential = "m*g*z"
[constraints.holonomic]
rod = "(x^2 + y^2 + z^2 - 1)/2"
[invariants]
spin = "x*y' - y*x'"
[symmetries.turn]
x = "-y"
y = "x"
[symmetries.along]
z = "1"
[initial]
x = 0.8
z = -0.6
"y'" = 2
)toml",
                                  "pendulum.toml");
  const auto run = [&](const char* method, const char* formulation) {
    Options options{.method = method, .step = 0.05, .steps = 1000, .native = "off"};
    options.formulation = formulation;
    return simulate(model, options);
  };
  const Trajectory kept = run("prk-lobatto", "");
  ASSERT_EQ(kept.invariants.size(), 2U);  // gravity pushes along the other symmetry
  EXPECT_EQ(kept.invariants[0].name, "spin");
  EXPECT_EQ(kept.invariants[1].name, "turn");
  EXPECT_NEAR(kept.invariants[0].initial, 1.6, 1e-15);
  EXPECT_NEAR(kept.invariants[1].initial, 3.2, 1e-15);
  for (const InvariantAudit& i : kept.invariants) EXPECT_LT(i.max_error, 1e-12);
  const std::vector<double> x = kept.column("x"), y = kept.column("y"), vx = kept.column("x'"), vy = kept.column("y'"),
                            spin = kept.column("invariant.spin"), turn = kept.column("invariant.turn");
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(spin[i], x[i] * vy[i] - y[i] * vx[i], 1e-15);
    EXPECT_NEAR(turn[i], 2.0 * spin[i], 1e-14);
  }
  const Trajectory lost = run("gonzalez-r", "index2");
  EXPECT_GT(lost.invariants[0].max_error, 1e-4);
  EXPECT_NEAR(lost.invariants[1].max_error, 2.0 * lost.invariants[0].max_error, 1e-10);
  const auto json = nlohmann::json::parse(to_json(model, lost));
  EXPECT_EQ(json["invariants"]["spin"]["max_error"].get<double>(), lost.invariants[0].max_error);
  EXPECT_NEAR(json["invariants"]["turn"]["initial"].get<double>(), 3.2, 1e-15);
  EXPECT_NE(to_text(model, kept).find("Invariant spin: kept to"), std::string::npos);
}

}  // namespace
}  // namespace rattleback::testing
