// [run] of a model file is asked for like the options of a request: with the same bits, and behind them.
#include <gtest/gtest.h>

#include "option/run_table.hpp"
#include "rattleback/analysis.hpp"
#include "rattleback/generate.hpp"
#include "run/support.hpp"

namespace rattleback::testing {
namespace {

const std::string kSwing = R"toml(
name = "A pendulum in Cartesian coordinates"
coordinates = ["x", "y"]
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
[constraints.holonomic]
rod = "x^2 + y^2 - 1"
[initial]
x = 1
"y'" = 0.5
[run]
)toml";

Model swing(const std::string& run) { return parse_model(kSwing + run, "swing.toml"); }

void expect_same(const Trajectory& a, const Trajectory& b, const std::string& what) {
  EXPECT_EQ(a.method, b.method) << what;
  EXPECT_EQ(a.steps, b.steps) << what;
  EXPECT_EQ(a.records.t, b.records.t) << what;
  EXPECT_EQ(a.records.q, b.records.q) << what;
  EXPECT_EQ(a.records.multipliers, b.records.multipliers) << what;
  EXPECT_EQ(a.q, b.q) << what;
  EXPECT_EQ(a.events.size(), b.events.size()) << what;
  EXPECT_EQ(a.reverse_defect, b.reverse_defect) << what;
  EXPECT_EQ(a.observed_order, b.observed_order) << what;
  EXPECT_EQ(a.adaptive.has_value(), b.adaptive.has_value()) << what;
}

const std::string kSteps = "step = 0.05\nuntil = 1\n";

TEST(RunTable, GivesWhatTheSameOptionsGive) {
  struct Pair {
    std::string run;
    Options options;
    std::string base = kSteps;
  };
  const std::vector<Pair> pairs = {
      {"compose = 4\nmethod = \"rattle\"\n", {.method = "rattle", .compose = 4}},
      {"method = \"spark-gauss\"\nformulation = \"index2\"\n", {.method = "spark-gauss", .formulation = "index2"}},
      {"method = \"prk-murua\"\nmultiplier = \"recursion\"\n", {.method = "prk-murua", .multiplier = "recursion"}},
      {"newton-tol = 1e-3\n", {.newton_tol = 1e-3}},
      {"newton = \"simplified\"\n", {.newton = "simplified"}},
      {"method = \"ode\"\nrtol = 1e-4\natol = 1e-5\n", {.method = "ode", .rtol = 1e-4, .atol = 1e-5}},
      {"method = \"baumgarte\"\ngain = 3\n", {.method = "baumgarte", .gain = 3.0}},
      {"method = \"euler-true\"\nalpha = 0.3\n", {.method = "euler-true", .alpha = 0.3}},
      {"method = \"euler-natural\"\nalpha = 0.3\n", {.method = "euler-natural", .alpha = 0.3}},
      {"event = [\"x\", \"y + 0.5\"]\n", {.event = {"x", "y + 0.5"}}},
      {"every = 3\n", {.every = 3}},
      {"output-every = 0.03\n", {.output_every = 0.03}},
      {"audit = [\"reverse\", \"order\"]\n", {.audit_reverse = true, .audit_order = true}},
      {"steps = 7\n", {.steps = 7}, "step = 0.05\n"},
      {"adaptive = 1e-5\ncontroller = \"reversible\"\n", {.adaptive = 1e-5, .controller = "reversible"}},
      {"redundant = \"minimum-norm\"\n", {.redundant = "minimum-norm"}},
  };
  const Trajectory plain = simulate(swing(kSteps), {});
  for (const auto& [run, options, base] : pairs) {
    const Trajectory of_file = simulate(swing(base + run), {});
    expect_same(of_file, simulate(swing(base), options), run);
    // It is not as if nothing had been said.
    if (run.find("redundant") == std::string::npos && run.find("newton =") == std::string::npos)
      EXPECT_TRUE(of_file.records.q != plain.records.q || of_file.reverse_defect || !of_file.events.empty() ||
                  of_file.records.multipliers != plain.records.multipliers)
          << run;
  }
}

TEST(RunTable, StandsBehindWhatIsAskedFor) {
  const Model loose = swing(kSteps + "newton-tol = 1e-2\nevery = 5\nevent = \"x\"\naudit = \"reverse\"\n");
  expect_same(simulate(loose, {.newton_tol = 0.0, .event = {"y + 0.5"}, .every = 1, .audit_power = true}),
              simulate(swing(kSteps), {.event = {"y + 0.5"}, .every = 1, .audit_power = true}), "the usual value");
  EXPECT_NE(simulate(loose, {.every = 1}).records.q, simulate(swing(kSteps), {.every = 1}).records.q);
  const Model usual = swing(kSteps + "method = \"ode\"\nrtol = 1e-3\natol = 1e-4\n");
  expect_same(simulate(usual, {.rtol = 1e-6, .atol = 1e-9}), simulate(swing(kSteps), {.method = "ode"}), "ode");
}

TEST(RunTable, IsKeptAwayByWhatCannotStandBesideIt) {
  EXPECT_EQ(simulate(swing("step = 0.05\nsteps = 7\n"), {.until = 0.5}).steps, 10);
  EXPECT_EQ(simulate(swing(kSteps), {.steps = 3}).steps, 3);
  EXPECT_EQ(simulate(swing(kSteps + "output-every = 0.03\n"), {.every = 2}).records.rows, 11U);
  EXPECT_EQ(simulate(swing(kSteps + "every = 2\n"), {.output_every = 0.25}).records.rows, 5U);
  const Trajectory fixed = simulate(swing(kSteps + "adaptive = 1e-6\ncontroller = \"reversible\"\n"), {.steps = 4});
  EXPECT_EQ(fixed.steps, 4);
  EXPECT_FALSE(fixed.adaptive);
  EXPECT_TRUE(simulate(swing(kSteps + "adaptive = 1e-6\n"), {.controller = "reversible"}).adaptive);
  EXPECT_EQ(message_of(swing(kSteps), {.controller = "pi"}),
            "--controller needs --adaptive TOL: a fixed step has none");
  EXPECT_EQ(message_of(swing(kSteps + "adaptive = 1e-6\n"), {.audit_order = true}),
            "--audit order repeats with h/2 and h/4, but [run] adaptive chooses the steps; leave one of them out");
}

TEST(RunTable, SaysOfItsMethodNothingOfAnother) {
  const Model m = swing(kSteps + "method = \"baumgarte\"\ngain = 3\nnewton-tol = 1e-3\n");
  expect_same(simulate(m, {.method = "rattle"}), simulate(swing(kSteps), {.method = "rattle", .newton_tol = 1e-3}),
              "gain is for baumgarte");
  const Model composed = swing(kSteps + "method = \"rattle\"\ncompose = 4\n");
  EXPECT_EQ(simulate(composed, {.method = "spark-lobatto-ab"}).order, 2);
  EXPECT_EQ(simulate(composed, {.method = "prk-lobatto"}).order, 4);  // rattle under another name
  EXPECT_EQ(simulate(composed, {.method = "rattle"}).order, 4);
  EXPECT_EQ(message_of(swing(kSteps + "gain = 3\n"), {}).substr(0, 49),
            "[run] gain is the feedback of method 'baumgarte'.");
  EXPECT_EQ(message_of(swing(kSteps + "rtol = 1e-3\n"), {}).substr(0, 38), "[run] rtol is for the adaptive methods");
  for (const Options& o : {Options{.method = "rattle", .rtol = 1e-3}, Options{.method = "rattle", .atol = 1e-3},
                           Options{.method = "rattle", .alpha = 0.5}})
    EXPECT_THROW((void)simulate(swing(kSteps), o), Error);
}

// A verb takes what it has as flags.
TEST(RunTable, GivesStudiesWhatTheyTakeThemselves) {
  const std::string all = "event = \"x\"\noutput-every = 0.03\naudit = \"order\"\n";
  const Model m = swing(kSteps + all + "method = \"rattle\"\ncompose = 4\n"), bare = swing(kSteps);
  OrderRequest order;
  order.methods = {{"rattle", 0}, {"spark-lobatto-ab", 2}};
  order.steps = {0.1, 0.05};
  order.until = 1.0;
  const OrderReport found = order_study(m, order);
  EXPECT_NEAR(found.slopes[0].last, 4.0, 0.5);
  EXPECT_NEAR(found.slopes[1].last, 2.0, 0.3);
  order.methods = {{"spark-lobatto-ab", 2}};
  EXPECT_EQ(order_study(bare, order).runs[0].error, found.runs[2].error);

  CompareRequest compare_them;
  compare_them.methods = {{"rattle", 0}, {"baumgarte", 0}};
  compare_them.steps = {0.1};
  compare_them.until = 1.0;
  const CompareReport compared = compare(swing(kSteps + all + "method = \"baumgarte\"\ngain = 3\n"), compare_them);
  EXPECT_EQ(compared.runs[0].message, "");
  EXPECT_EQ(compared.runs[1].message, "");
  EXPECT_EQ(compared.runs[0].error, compare(bare, compare_them).runs[0].error);
  EXPECT_NE(compared.runs[1].error, compare(bare, compare_them).runs[1].error);

  SectionRequest cuts;
  cuts.where = "y";
  cuts.crossings = 2;
  cuts.options.step = 0.05;
  const SectionReport composed = section(swing(kSteps + all + "compose = 4\n"), cuts);
  EXPECT_NE(composed.points[1].t, section(bare, cuts).points[1].t);
  cuts.options.compose = 4;
  EXPECT_EQ(composed.points[1].t, section(bare, cuts).points[1].t);

  EnsembleRequest members;
  members.members.count = 2;
  members.members.names = {"x'"};
  members.members.values = {0.0, 0.0};
  const EnsembleReport e = ensemble(swing(kSteps + all + "newton-tol = 1e-2\n"), members);
  EXPECT_NE(e.members[0].q, ensemble(bare, members).members[0].q);
  members.options.newton_tol = 1e-2;
  EXPECT_EQ(e.members[0].q, ensemble(bare, members).members[0].q);

  EXPECT_EQ(step_header(swing(kSteps + all + "compose = 4\nmethod = \"rattle\"\n"), {}, "Steps"),
            step_header(bare, {.method = "rattle", .compose = 4}, "Steps"));
}

TEST(RunTable, IsAppliedOnce) {
  const Model m = swing(kSteps + "newton-tol = 1e-2\nevery = 5\ncompose = 2\n");
  const Options once = with_run_table(m, {}, Place::run), twice = with_run_table(m, once, Place::run);
  for (const OptionRow& row : option_table()) EXPECT_EQ(option_text(row, once), option_text(row, twice)) << row.name;
  EXPECT_EQ(once.every, 5);
  EXPECT_EQ(with_run_table(m, {}, Place::order).every, 0);
}

// A checkpoint knows the options that came from [run].
TEST(RunTable, IsPartOfTheSignature) {
  const Scratch scratch;
  const Model m = swing(kSteps + "compose = 4\nmethod = \"rattle\"\n");
  Options o{.steps = 4};
  o.checkpoint = scratch.file();
  (void)simulate(m, o);
  o.steps = 8;
  o.resume = true;
  EXPECT_EQ(simulate(m, o).q, simulate(m, {.steps = 8}).q);
  o.compose = 6;
  EXPECT_NE(message_of(m, o).find("--compose"), std::string::npos);
}

}  // namespace
}  // namespace rattleback::testing
