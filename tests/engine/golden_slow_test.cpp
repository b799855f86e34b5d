// Compiled steps have the bits of the interpreter: all golden cases, and what they leave out.
#include <cstring>
#include <fstream>
#include <functional>

#include <nlohmann/json.hpp>

#include "engine/private_cache.hpp"
#include "rattleback/error.hpp"
#include "rattleback/simulate.hpp"
#include "support/motion.hpp"

namespace rattleback::testing {
namespace {

using Json = nlohmann::json;

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

void expect_same(const Trajectory& a, const Trajectory& b) {
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.message, b.message);
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.t, b.t);
  EXPECT_TRUE(same_bits(a.q, b.q));
  EXPECT_TRUE(same_bits(a.v, b.v));
  EXPECT_TRUE(same_bits(a.multipliers, b.multipliers));
  EXPECT_TRUE(same_bits(a.records.q, b.records.q));
  EXPECT_TRUE(same_bits(a.records.v, b.records.v));
  EXPECT_TRUE(same_bits(a.records.multipliers, b.records.multipliers));
  EXPECT_TRUE(same_bits(a.records.balance, b.records.balance));
  EXPECT_EQ(a.newton_iterations, b.newton_iterations);
  EXPECT_EQ(a.newton_max_per_step, b.newton_max_per_step);
  EXPECT_EQ(a.power_balance.has_value(), b.power_balance.has_value());
  if (a.power_balance && b.power_balance) EXPECT_EQ(a.power_balance->max_residual, b.power_balance->max_residual);
  EXPECT_EQ(a.events.size(), b.events.size());
}

// Interpreted and compiled. Records at every 7th step, so that compiled steps come in batches.
void compare(const Model& model, Options options) {
  if (options.every == 0 && options.adaptive == 0.0 && options.output_every == 0.0) options.every = 7;
  options.native = "off";
  const Trajectory interpreted = simulate(model, options);
  options.native = "on";
  const Trajectory compiled = simulate(model, options);
  EXPECT_FALSE(interpreted.native);
  EXPECT_TRUE(compiled.native);
  expect_same(interpreted, compiled);
}

Values values(const Json& object) {
  Values out;
  for (const auto& [name, value] : object.items()) out.emplace_back(name, value.dump());
  return out;
}

TEST_F(Native, GoldenCasesHaveTheBitsOfTheInterpreter) {
  std::ifstream in(RATTLEBACK_SOURCE_DIR "/tests/reference/golden.json");
  int cases = 0, refused = 0, plain = 0;
  for (const Json& c : Json::parse(in)) {
    SCOPED_TRACE(c["id"].get<std::string>() + " " + c["system"].get<std::string>() + " " +
                 c["method"].get<std::string>());
    const Model model = shipped(c["system"], values(c["set"]), values(c["start"]));
    Options options;
    options.method = c["method"];
    if (find_method(options.method).fixed_stages == 0) options.stages = c["stages"];
    if (c.contains("formulation")) options.formulation = c["formulation"].get<std::string>();
    options.step = c["step"];
    options.steps = c["steps"];
    options.every = 7;
    options.native = "off";
    const Trajectory interpreted = simulate(model, options);
    options.native = "on";
    ++cases;
    try {
      const Trajectory compiled = simulate(model, options);
      expect_same(interpreted, compiled);
      plain += compiled.native ? 1 : 0;
    } catch (const Error& e) {
      ++refused;
      EXPECT_EQ(c["system"], "friction-on-cubic") << e.what();  // unilateral: steps of a stepper of steppers
    }
  }
  EXPECT_EQ(cases, 72);
  EXPECT_EQ(refused, 3);
  EXPECT_EQ(plain, 69);
}

struct Path {
  const char *what, *system, *method;
  int stages;
  std::function<void(Options&)> change;
};

// What golden cases do not reach: compositions, two steps, angles that turn, energies that are added up, steps of changing
// size, events, tolerances.
TEST_F(Native, EveryPathHasTheBitsOfTheInterpreter) {
  const Path paths[] = {
      {"composed", "double-pendulum", "prk-lobatto", 2, [](Options& o) { o.compose = 6; }},
      {"composed, implicit", "chaplygin-sleigh", "spark-gauss", 1, [](Options& o) { o.compose = 4; }},
      {"composed, linear", "contact-oscillator", "mclachlan-perlmutter", 0, [](Options& o) { o.compose = 8; }},
      {"two steps", "nonholonomic-particle", "cortes-martinez", 0, [](Options& o) { o.audit_reverse = true; }},
      {"angles", "chaplygin-sleigh", "spark-gauss", 2,
       [](Options& o) {
         o.step = 0.1;
         o.steps = 2000;
       }},
      {"energies", "pendulum-ph", "dg-gonzalez", 0, [](Options&) {}},
      {"energies of collocation", "pendulum-ph", "collocation-gauss", 2, [](Options&) {}},
      {"audit of power", "chaplygin-sleigh", "spark-gauss", 2, [](Options& o) { o.audit_power = true; }},
      {"a shorter last step and back", "double-pendulum", "prk-murua", 3,
       [](Options& o) {
         o.steps.reset();
         o.until = 2.0033;
         o.audit_reverse = true;
       }},
      {"adaptive", "double-pendulum", "prk-lobatto", 3,
       [](Options& o) {
         o.steps.reset();
         o.until = 2.0;
         o.adaptive = 1e-5;
       }},
      {"events", "double-pendulum", "prk-lobatto", 3, [](Options& o) { o.event = {"x1"}; }},
      {"dense output", "double-pendulum", "prk-lobatto", 3, [](Options& o) { o.output_every = 0.03; }},
      {"a tolerance", "chaplygin-sleigh", "spark-gauss", 3, [](Options& o) { o.newton_tol = 1e-6; }},
      {"large steps", "double-pendulum", "prk-murua", 4, [](Options& o) { o.step = 0.1; }},
      {"many stages", "nonholonomic-particle", "spark-gauss", 6, [](Options&) {}},
      {"reduced", "quartic-particles", "gonzalez-r", 0, [](Options&) {}},
      {"overdetermined", "odae-exponential", "euler-true", 0, [](Options&) {}},
      {"dae", "dae-hessenberg", "srk-gauss", 3, [](Options&) {}},
      {"sensitive", "andrews", "rk-radau-iia", 2,
       [](Options& o) {
         o.step = 1e-4;
         o.formulation = "ggl";
       }},
  };
  for (const Path& path : paths) {
    SCOPED_TRACE(path.what);
    Options options;
    options.method = path.method;
    options.stages = path.stages;
    options.steps = 200;
    path.change(options);
    try {
      compare(shipped(path.system), options);
    } catch (const Error& e) {
      ADD_FAILURE() << e.what();
    }
  }
}

// Every operation of the interpreter has a text: functions, powers, comparisons, tables.
TEST_F(Native, EveryFunctionHasTheBitsOfTheInterpreter) {
  const Model model = parse_model(R"toml(
coordinates = ["x", "y", "z"]
[lagrangian]
kinetic   = "(x'^2 + y'^2 + z'^2)/2"
potential = "x^2 + y^2 + z^2 + sin(x)*cos(y) + tan(z/4) + asin(x/9) + acos(y/9) + atan(z) + sinh(x/3) + cosh(y/3) + tanh(z) + exp(-x^2) + log(2 + y^2) + sqrt(1 + z^2) + (1 + x^2)^1.3"
[forces]
x = "0.1*atan2(y, 2 + z) + 0.01*abs(x) + 0.01*sign(y)*y"
y = "0.1*hypot(x, 1 + z^2) + 0.01*min(x, z) + 0.01*max(y, x')"
z = "if(x < 0.1, 0.1*y, 0.2*y) + if(z <= 0, z^2, z^3)"
[constraints.nonholonomic]
roll = "x' + sin(z)*y' - z*z'"
[initial]
x = 0.3
y = -0.2
z = 0.4
"y'" = 1.0
"z'" = 0.5
"x'" = "0.2 - sin(0.4)"
)toml",
                                  "functions.toml");
  for (const char* const name : {"spark-gauss", "spark-lobatto-ab", "mclachlan-perlmutter"}) {
    SCOPED_TRACE(name);
    Options options;
    options.method = name;
    options.step = 0.02;
    options.steps = 2000;
    compare(model, options);
  }
  std::ofstream(folder_ / "push.csv") << "t,u\n0,0\n1,2\n3,-2\n";
  std::ofstream(folder_ / "m.toml") << R"toml(
kind = "port-hamiltonian"
states = ["p", "v"]
hamiltonian = "v^2/2 + p^4/4"
[E]
"p,p" = 1
"v,v" = 1
[J]
"p,v" = 1
[R]
"v,v" = 0.1
[z]
p = "p^3"
v = "v"
[B.push]
v = 1
[inputs]
push = { csv = "push.csv", column = "u", time = "t" }
)toml";
  Options options;
  options.step = 0.01;
  options.steps = 400;
  compare(load_model((folder_ / "m.toml").string()), options);
}

}  // namespace
}  // namespace rattleback::testing
