// The JSON contract of the command line: keys per kind of system, and numbers that read back to the same double.
#include "output/json.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <fstream>

#include "output/lists.hpp"
#include "output/version.hpp"
#include "rattleback/write.hpp"
#include "report/samples.hpp"
#include "support/json.hpp"

namespace rattleback {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> keys(const Json& json) {
  std::vector<std::string> names;
  for (const auto& [key, value] : json.items()) names.push_back(key);
  return names;
}

TEST(RunJson, MechanicalSystemHasTheKeysOfTheContract) {
  const Json json = parse_json(to_json(sleigh(), sleigh_run()));
  EXPECT_EQ(keys(json),
            (std::vector<std::string>{"system", "kind",        "method", "stages",  "order",      "orders",
                                      "step",   "steps",       "t",      "q",       "v",          "multipliers",
                                      "energy", "constraints", "newton", "records", "parameters", "start",
                                      "audit",  "notes",       "status", "message", "native",     "wall_seconds"}));
  EXPECT_EQ(json["system"], "chaplygin-sleigh");
  EXPECT_EQ(json["orders"].dump(), R"({"q":4,"v":4,"multipliers":4})");
  EXPECT_EQ(json["kind"], "mechanical");
  EXPECT_EQ(keys(json["q"]), (std::vector<std::string>{"x", "y", "theta"}));
  EXPECT_EQ(keys(json["v"]), (std::vector<std::string>{"x", "y", "theta"}));
  EXPECT_EQ(keys(json["multipliers"]), (std::vector<std::string>{"blade"}));
  EXPECT_EQ(keys(json["energy"]), (std::vector<std::string>{"initial", "final", "max_error", "drift_per_time"}));
  EXPECT_EQ(json["constraints"].dump(), R"({"position":0.0,"velocity":2.2e-16})");
  EXPECT_EQ(json["newton"].dump(), R"({"iterations":3,"max_per_step":3})");
  EXPECT_EQ(json["records"].dump(), R"({"every":1,"rows":2})");
  EXPECT_EQ(json["status"], "done");
  EXPECT_EQ(json["message"], "");
  Trajectory compiled = sleigh_run();
  compiled.native = true;
  compiled.compile_seconds = 0.5;
  EXPECT_EQ(parse_json(to_json(sleigh(), compiled))["compile_seconds"], 0.5);
  compiled.native = false;  // compiled, and not used: the time is not hidden
  EXPECT_EQ(parse_json(to_json(sleigh(), compiled))["compile_seconds"], 0.5);
  EXPECT_EQ(parse_json(to_json(sleigh(), compiled))["compiled_steps"], 0);
}

TEST(RunJson, DaeHasStatesAndAlgebraicVariablesInsteadOfCoordinates) {
  const Json json = parse_json(to_json(hessenberg(), hessenberg_run()));
  EXPECT_EQ(json["x"].dump(), R"({"y1":1.1,"y2":0.8})");
  EXPECT_EQ(json["z"].dump(), R"({"z1":1.2})");
  EXPECT_EQ(json["constraints"].dump(), R"({"position":1e-16})");
  EXPECT_EQ(json["error"], 1e-7);
  for (const char* absent : {"q", "v", "multipliers", "energy"}) EXPECT_FALSE(json.contains(absent)) << absent;
}

// By kind: the values as they were used, and the state as the run started.
TEST(RunJson, EveryKindHasItsParametersAndItsStart) {
  const auto both = [](const std::string& system, const LoadOptions& load) {
    const Model model = load_model(system, load);
    const Json json = parse_json(to_json(model, simulate(model, {.step = 0.01, .steps = 1})));
    return json["parameters"].dump() + " " + json["start"].dump();
  };
  EXPECT_EQ(both("chaplygin-sleigh", {.set = {{"g", "0.5/5"}, {"a", "2"}}, .start = {{"theta'", "1"}}}),
            R"({"m":1.0,"a":2.0,"g":0.1,"I":1.0} {"x":1.0,"y":0.0,"theta":0.0,"x'":0.0,"y'":0.0,"theta'":1.0})");
  EXPECT_EQ(both("dae-hessenberg", {.start = {{"y1", "1"}}}), R"({} {"y1":1.0,"y2":1.0})");
  EXPECT_EQ(both("friction-on-cubic", {}),
            R"({"m":1.0,"b":0.01,"g":9.81,"cf":0.1,"rf":0.85} {"y1":10.0,"y2":10.0,"z1":-3.6,"z2":-10.8})");
  EXPECT_EQ(both("suslov", {}), R"({"I11":1.0,"I22":2.0,"I13":0.3,"I23":0.5} {"rho1":1.0,"rho2":0.5})");
  EXPECT_EQ(both("two-oscillators", {.set = {{"a.k", "4"}}}),
            R"({"a.m":1.0,"a.k":4.0,"a.d":0.1,"a.f":1.0,"a.omega":1.0,"b.m":1.0,"b.k":1.0,"b.d":0.1} )"
            R"({"a.p":1.0,"a.v":0.0,"b.p":0.5,"b.v":0.0,"a.u.push":1.75})");
}

TEST(RunJson, ArraysOfParametersAreTakenElementByElement) {
  const Model model = parse_model(
      "coordinates = [\"x\"]\n[parameters]\nk = [1, \"2*c\"]\nc = 3\n[lagrangian]\nL = \"x'^2/2 - k[2]*x\"\n", "m.toml",
      {.set = {{"k[1]", "5"}}});
  EXPECT_EQ(parse_json(to_json(model, sleigh_run()))["parameters"].dump(), R"({"k[1]":5.0,"k[2]":6.0,"c":3.0})");
}

TEST(RunJson, NumbersReadBackToTheSameDouble) {
  Model model;
  Trajectory t;
  for (std::size_t i = 0; i < kAwkward.size(); ++i) model.coordinates.add("x" + std::to_string(i));
  t.q = t.v = kAwkward;
  const Json json = parse_json(to_json(model, t));
  for (std::size_t i = 0; i < kAwkward.size(); ++i)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(json["q"]["x" + std::to_string(i)].get<double>()),
              std::bit_cast<std::uint64_t>(kAwkward[i]));
}

TEST(RunJson, NumbersThatAreNotFiniteAreNull) {
  Trajectory t = sleigh_run();
  t.q = {std::nan(""), std::numeric_limits<double>::infinity(), 1.0};
  EXPECT_EQ(parse_json(to_json(sleigh(), t))["q"].dump(), R"({"x":null,"y":null,"theta":1.0})");
}

TEST(RunJson, OptionalAuditsAppearWhenTheyWereMade) {
  Trajectory t = sleigh_run();
  t.status = Status::stopped;
  t.message = "stopped at t = 1";
  t.constraint_midpoint = 1e-15;
  t.reverse_defect = 2e-14;
  t.observed_order = 3.99;
  t.error = 1e-7;
  const Options options{.formulation = "index2", .compose = 6};
  t.formulation = Formulation::index2;
  const Json json = report::run_json(sleigh(), t, &options);
  EXPECT_EQ(json["status"], "stopped");
  EXPECT_EQ(json["message"], "stopped at t = 1");
  EXPECT_EQ(json["constraints"]["velocity_midpoint"], 1e-15);
  EXPECT_EQ(json["reversibility"]["defect"], 2e-14);
  EXPECT_EQ(json["observed_order"], 3.99);
  EXPECT_EQ(json["error"], 1e-7);
  EXPECT_EQ(json["compose"], 6);
  EXPECT_EQ(json["formulation"], "index2");
}

TEST(RunJson, UnilateralConstraintsHaveEventsAndTheirEnd) {
  const Model model = load_model("friction-on-cubic");
  const auto run = [](const Model& of, double until) {
    return parse_json(
        to_json(of, simulate(of, {.method = "euler-true", .step = 0.01, .until = until, .native = "off"})));
  };
  // It slides and lifts off at 1.062.
  const Json sliding = run(model, 1.0);
  EXPECT_EQ(sliding["events"].dump(), "[]");
  EXPECT_EQ(sliding["contacts"]["surface"]["closed"], true);
  EXPECT_EQ(sliding["contacts"]["surface"]["normal"], sliding["multipliers"]["psi"]);
  EXPECT_GT(sliding["contacts"]["surface"]["normal"], 0.0);
  const Json flying = run(model, 1.2);
  ASSERT_EQ(flying["events"].size(), 1U);
  EXPECT_EQ(keys(flying["events"][0]), (std::vector<std::string>{"name", "what", "t"}));
  EXPECT_EQ(flying["events"][0]["name"], "surface");
  EXPECT_EQ(flying["events"][0]["what"], "lift-off");
  EXPECT_EQ(flying["contacts"]["surface"].dump(),
            R"({"closed":false,"sticks":null,"normal":0.0,"friction":null,"impacts":0})");
  // Thrown, it lands (tests/method/contact_test.cpp) and stays.
  const Model thrown =
      load_model("friction-on-cubic", {.start = {{"y1", "-3"}, {"y2", "-0.27"}, {"z1", "10"}, {"z2", "2.7"}}});
  const Json landed = run(thrown, 1.0);
  ASSERT_EQ(landed["events"].size(), 1U);
  EXPECT_EQ(landed["events"][0]["what"], "landing");
  EXPECT_LT(landed["events"][0]["speed"], 0.0);
  EXPECT_EQ(landed["contacts"]["surface"]["closed"], true);
  EXPECT_EQ(landed["contacts"]["surface"]["impacts"], 0);
}

TEST(RunJson, SystemWithoutConstraintsHasNoMultipliers) {
  Model model = sleigh();
  model.nonholonomic_names = {};
  EXPECT_FALSE(parse_json(to_json(model, sleigh_run())).contains("multipliers"));
}

TEST(RunJson, AdaptiveMethodHasNoNewtonAndNoOrder) {
  Trajectory t = sleigh_run();
  t.method = "ode";
  t.order = 0;
  const Json json = parse_json(to_json(sleigh(), t));
  EXPECT_FALSE(json.contains("newton"));
  EXPECT_FALSE(json.contains("order"));
}

TEST(RunJson, LargeFamilyTakesTimeProportionalToItsSize) {
  Model model;
  model.coordinates.add_family("x", 1, 200'000);
  Trajectory t;
  t.q.assign(200'000, 1.5);
  t.v = t.q;
  const std::string json = to_json(model, t);  // searching for equal keys would take minutes
  EXPECT_NE(json.find("\"x[200000]\":1.5"), std::string::npos);
}

TEST(RunJson, TextThatIsNotUtf8DoesNotThrow) {
  Model model = sleigh();
  model.key = "caf\xe9";
  EXPECT_NO_THROW(to_json(model, sleigh_run()));
}

TEST(OptionsJson, KeepsOnlyWhatDiffersFromTheDefaults) {
  const Options options{.method = "spark-gauss", .steps = 10, .newton_tol = 1e-9, .audit_order = true};
  EXPECT_EQ(
      report::dump(report::options_json(options, {.set = {{"g", "9.81/6"}}, .start = {{"theta'", "1"}}})),
      R"({"method":"spark-gauss","steps":10,"newton-tol":1e-09,"audit":["order"],"set":{"g":"9.81/6"},"start":{"theta'":"1"}})");
}

CheckReport disk_report() {
  CheckReport r;
  r.coordinates = 4;
  r.degrees_of_freedom = 2;
  r.index = 2;
  r.constraints = {{"roll_x", false, true, false, 0.0}, {"roll_y", false, true, false, 0.0}};
  r.rank = 2;
  r.mass_constant = r.mass_positive_definite = r.saddle_regular = r.consistent = r.derivatives_ok = true;
  r.methods = {{"spark-gauss", true, ""}, {"rattle", false, "needs holonomic constraints"}};
  return r;
}

TEST(CheckJson, HasTheKeysOfTheContract) {
  Model model;
  model.key = "rolling-disk";
  for (const char* name : {"x", "y", "phi", "theta"}) model.coordinates.add(name);
  const Json json = parse_json(to_json(model, disk_report()));
  EXPECT_EQ(json["system"], "rolling-disk");
  EXPECT_EQ(json["coordinates"], 4);
  EXPECT_EQ(json["degrees_of_freedom"], 2);
  EXPECT_EQ(json["constraints"]["roll_x"].dump(),
            R"({"level":"velocity","linear":true,"integrable":false,"start_residual":0.0})");
  EXPECT_EQ(json["integrable_together"], false);
  EXPECT_EQ(json["rank"], 2);
  EXPECT_EQ(json["mass"].dump(), R"({"constant":true,"positive_definite":true})");
  EXPECT_EQ(json["consistent"], true);
  EXPECT_EQ(json["derivatives_ok"], true);
  EXPECT_EQ(json["methods"].dump(),
            R"({"spark-gauss":{"applies":true},"rattle":{"applies":false,"reason":"needs holonomic constraints"}})");
  EXPECT_FALSE(json.contains("nearest"));
}

TEST(CheckJson, InconsistentStartComesWithTheNearestConsistentOne) {
  const Model model = sleigh();
  CheckReport r = disk_report();
  r.consistent = false;
  r.nearest_q = {1, 2, 3};
  r.nearest_v = {4, 5, 6};
  EXPECT_EQ(parse_json(to_json(model, r))["nearest"].dump(),
            R"({"q":{"x":1.0,"y":2.0,"theta":3.0},"v":{"x":4.0,"y":5.0,"theta":6.0}})");
}

TEST(OrderJson, HasRunsAndSlopes) {
  OrderReport r;
  r.runs = {{"spark-gauss", 2, 0.1, 1e-5, 0.001, 1e-5, 2e-5, 3e-5}};
  r.slopes = {{"spark-gauss(2)", 4.01, 3.99, 4.0, 4.1, std::nan(""), 3}};
  r.reference = "exact";
  const Json json = parse_json(to_json(sleigh(), r));
  EXPECT_EQ(json["runs"][0].dump(),
            R"({"method":"spark-gauss","stages":2,"step":0.1,"error":1e-05,"seconds":0.001,"error_positions":1e-05,)"
            R"("error_velocities":2e-05,"error_multipliers":3e-05})");
  EXPECT_EQ(json["slopes"].dump(), R"j({"spark-gauss(2)":4.01})j");
  EXPECT_EQ(json["slopes_last"].dump(), R"j({"spark-gauss(2)":3.99})j");
  EXPECT_EQ(json["slopes_multipliers"].dump(), R"j({"spark-gauss(2)":null})j");
  EXPECT_EQ(json["reference"], "exact");
}

TEST(MethodsJson, EveryMethodHasItsClaims) {
  const Json json = parse_json(methods_json())["methods"];
  EXPECT_EQ(json.size(), methods().size());
  for (const MethodInfo& info : methods()) {
    ASSERT_TRUE(json.contains(std::string(info.name))) << info.name;
    const Json& method = json[std::string(info.name)];
    for (const char* key : {"name", "kinds", "order", "symmetric", "energy", "constraints", "source"})
      EXPECT_TRUE(method.contains(key)) << info.name << " " << key;
    EXPECT_FALSE(method["kinds"].empty()) << info.name;
  }
  EXPECT_EQ(json["spark-gauss"]["order"], "2s");
  EXPECT_EQ(json["spark-gauss"]["order_of_stages"]["3"], 6);
  EXPECT_EQ(json["spark-gauss"]["symmetric"], true);
  EXPECT_EQ(json["mclachlan-perlmutter"]["symmetric"], "conditional");
}

TEST(SystemsList, TitlesAndKindsAreThoseOfTheRealReader) {
  const auto list = report::systems();
  ASSERT_FALSE(list.empty());
  for (const report::ListedSystem& system : list) {
    const Model model = load_model(system.key);
    EXPECT_EQ(system.title, model.name);
    // An interconnection is a port-Hamiltonian system once it is joined.
    EXPECT_EQ(system.kind == "interconnection" ? "port-hamiltonian" : system.kind, to_string(model.kind)) << system.key;
  }
}

TEST(Version, IsThatOfTheBuild) {
  const std::string text = read_all(RATTLEBACK_SOURCE_DIR "/CMakeLists.txt");
  EXPECT_NE(text.find("project(rattleback VERSION " + std::string(report::kVersion) + " "), std::string::npos);
  EXPECT_STREQ(version(), RATTLEBACK_VERSION);
}

}  // namespace
}  // namespace rattleback
