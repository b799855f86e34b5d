// Reports for people: the sentences, and that they fit a terminal of 100 columns.
#include <gtest/gtest.h>

#include "output/layout.hpp"
#include "output/lists.hpp"
#include "rattleback/write.hpp"
#include "report/samples.hpp"
#include "text/quantities.hpp"

namespace rattleback {
namespace {

void expect_fits(const std::string& text) {
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    EXPECT_LE(report::display_width(line), report::kTextWidth) << line;
    EXPECT_FALSE(line.ends_with(' ')) << '"' << line << '"';
  }
}

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in\n" << text;
}

TEST(RunText, ReadsAsPlainSentences) {
  Trajectory t = sleigh_run();
  t.v = {0.0, 0.5, 1e300};
  const std::string text = to_text(sleigh(), t);
  EXPECT_EQ(text,
            "Chaplygin sleigh on an incline (chaplygin-sleigh)\n"
            "spark-lobatto-ab, 3 stages, order 4: 1 step of 0.12 to t = 0.12, in 2.0 ms\n"
            "\n"
            "State at t = 0.12\n"
            "  x      =           0.1    x'      =       0\n"
            "  y      =           0.2    y'      =     0.5\n"
            "  theta  =  0.3333333333    theta'  =  1e+300\n"
            "  lambda(blade)  =  0.05\n"
            "\n"
            "What was kept\n"
            "  Energy: kept to 3.1e-15 (relative 2.1e-15); no drift.\n"
            "  Position level: not constrained.\n"
            "  Velocity constraint: kept to 2.2e-16.\n"
            "  Newton: 3 iterations in all, 3.0 per step, at most 3.\n"
            "\n"
            "Notes\n"
            "  - the last step was shorter\n");
}

TEST(RunText, DriftIsSaid) {
  Trajectory t = sleigh_run();
  t.t = 100.0;
  t.energy = EnergyAudit{.initial = 1.0, .final = 1.01, .max_error = 0.01, .drift_per_time = 1e-4};
  expect_contains(to_text(sleigh(), t),
                  "Energy: kept to 1.0e-02 (relative 1.0e-02); it drifts by 1.0e-04 per unit of time.");
}

TEST(RunText, NamesTheTimeOfTheCompilerWhereItIsLong) {
  Trajectory t = sleigh_run();
  t.native = true;
  t.order = 0;  // a short line
  t.wall_seconds = 2.0;
  t.compile_seconds = 1.25;
  expect_contains(to_text(sleigh(), t), " to t = 0.12, in 2.0 s, 1.2 s of it for compiling\n");
  t.compile_seconds = 0.1;
  expect_contains(to_text(sleigh(), t), " to t = 0.12, in 2.0 s\n");
}

TEST(RunText, WorkOfForcesIsNotCalledAnError) {
  Model model = sleigh();
  model.dissipative = true;
  expect_contains(to_text(model, sleigh_run()), "Energy: went from 1.5 to 1.5. Forces do work on this system");
}

void expect_lacks(const std::string& text, const std::string& part) {
  EXPECT_EQ(text.find(part), std::string::npos) << "'" << part << "' in\n" << text;
}

// The message itself is for standard error.
TEST(RunText, EarlyStopStandsOnTop) {
  Trajectory t = sleigh_run();
  t.status = Status::stopped;
  t.message = "spark-gauss (3 stages): Newton stopped at t = 0.12. 1 step was kept. Try --step 0.005";
  const std::string text = to_text(sleigh(), t);
  expect_contains(text, "in 2.0 ms\n\nStopped early, after 1 step. The message says why.\n\nState at t = 0.12\n");
  expect_contains(text, "\nWhat was kept\n");
  expect_lacks(text, t.message);
}

TEST(RunText, ARunWithoutStepsHasNoAudit) {
  Trajectory t = sleigh_run();
  t.status = Status::stopped;
  t.steps = 0;
  t.t = 0.0;
  t.error = 0.0;
  t.watched = {"x - 1"};
  t.energy->max_error = t.energy->drift_per_time = 0.0;
  const std::string stopped = to_text(sleigh(), t);
  expect_contains(stopped, "\n\nStopped in the first step: nothing was integrated. The message says why.\n\nState at");
  t.status = Status::done;
  const std::string asked = to_text(sleigh(), t);
  expect_contains(asked, "\n\nNothing was integrated: no steps were asked for.\n\nState at");
  for (const std::string& text : {stopped, asked})
    for (const char* part : {"kept", "drift", "Error at the end", "Newton", "crossing"}) expect_lacks(text, part);
}

TEST(RunText, ExpressionsWithoutACrossingAreNamed) {
  Trajectory t = sleigh_run();
  expect_lacks(to_text(sleigh(), t), "Events");
  t.watched = {"x - 1", "y - 2"};
  expect_contains(to_text(sleigh(), t),
                  "\nEvents\n  No crossing of x - 1 up to t = 0.12.\n  No crossing of y - 2 up to t = 0.12.\n");
  t.events = {{"x - 1", 0.1, 1, {1, 2, 3}, {0, 0, 0}, {}, {}}};
  const std::string text = to_text(sleigh(), t);
  expect_contains(text, "  x - 1  up  t = 0.1");
  expect_contains(text, "\n  No crossing of y - 2 up to t = 0.12.\n");
  expect_lacks(text, "No crossing of x - 1");
}

TEST(RunText, IterationsOfThePiControllerAreExplained) {
  Trajectory t = sleigh_run();
  t.adaptive = AdaptiveAudit{.controller = Controller::pi, .tolerance = 1e-6, .steps = 1};
  expect_contains(to_text(sleigh(), t), "at most 3, with rejected tries and error estimates.");
  t.adaptive->controller = Controller::reversible;
  expect_contains(to_text(sleigh(), t), "at most 3.\n");
}

TEST(RunText, LargeSystemsAreCutAndFit) {
  Model model;
  model.coordinates.add_family("x", 1, 100'000);
  model.holonomic_names.add_family("rod", 1, 50'000);
  Trajectory t = sleigh_run();
  t.q.assign(100'000, -1.0 / 3.0);
  t.v = t.q;
  t.multipliers.assign(50'000, 1.0);
  t.constraint_position = 1e-15;
  const std::string text = to_text(model, t);
  expect_fits(text);
  EXPECT_LT(text.size(), 3000U);
  expect_contains(text, "... and 99984 more");
}

TEST(CheckText, NamesWhatApplies) {
  CheckReport r;
  r.coordinates = 3;
  r.degrees_of_freedom = 2;
  r.index = 2;
  r.constraints = {{"blade", false, true, false, 1e-3}};
  r.rank = 1;
  r.nearest_q = {1, 2, 3};
  r.nearest_v = {0, 0, 0};
  r.methods = {
      {"spark-gauss", true, ""},
      {"rattle", false,
       "needs holonomic constraints, but this system has velocity constraints only, which is explained at great "
       "length so that the reason has to be wrapped"}};
  const std::string text = to_text(sleigh(), r);
  expect_fits(text);
  expect_contains(text, "not consistent with the constraints");
  expect_contains(text, "Nearest consistent start");
  expect_contains(
      text, "Methods that apply\n  spark-gauss\n\nMethods that do not apply\n  rattle: needs holonomic constraints");
}

TEST(CheckText, SaysOnceWhyNoMethodApplies) {
  CheckReport r;
  r.constraints = {{"blade", false, true, false, 0.0}};
  r.vanishing = {"blade"};
  r.consistent = true;
  r.obstacle = "needs constraints that can act: the gradient of 'blade' vanishes at the start";
  r.methods = {{"spark-gauss", false, r.obstacle}, {"spark-lobatto", false, "needs a system of kind dae"}};
  const std::string text = to_text(sleigh(), r);
  expect_contains(text, "of rank 0 at the start; gradient zero: blade\n");
  expect_contains(text,
                  "\nNo method applies\n  Each needs constraints that can act: the gradient of 'blade' vanishes at the "
                  "start.\n");
  expect_lacks(text, "Methods that");
  expect_lacks(text, "depends on the others");
  r.vanishing.clear();
  r.not_finite = {"blade"};
  r.consistent = false;
  expect_contains(to_text(sleigh(), r), "; gradient not finite: blade\n");
  expect_contains(to_text(sleigh(), r), "not decided: a constraint has no finite gradient there");
  // Without a common reason each method has its own.
  r.obstacle.clear();
  expect_contains(to_text(sleigh(), r), "\nNo method applies\n  spark-gauss: needs");
}

TEST(OrderText, IsATableWithOneColumnPerMethod) {
  OrderReport r;
  for (const double h : {0.1, 0.05})
    r.runs.push_back({"spark-gauss", 2, h, h * h * h * h, 0.001, 0, 0, 0, "spark-gauss(2)"});
  for (const double h : {0.1, 0.05})
    r.runs.push_back({"spark-lobatto-ab", 2, h, h * h, 0.002, 0, 0, 0, "spark-lobatto-ab(2)"});
  r.slopes = {{"spark-gauss(2)", 4.0, 4.0, 4.0, 4.0, std::nan(""), 2},
              {"spark-lobatto-ab(2)", 2.0, 2.0, 2.0, 2.0, std::nan(""), 2}};
  r.reference = "exact";
  EXPECT_EQ(to_text(r),
            "Error at the end; reference: exact\n"
            "\n"
            "  step                   spark-gauss(2)  spark-lobatto-ab(2)\n"
            "  0.1                         1.000e-04            1.000e-02\n"
            "  0.05                        6.250e-06            2.500e-03\n"
            "  slope, fitted                    4.00                 2.00\n"
            "  slope, last two steps            4.00                 2.00\n"
            "    of positions                   4.00                 2.00\n"
            "    of velocities                  4.00                 2.00\n"
            "  time, all steps                2.0 ms               4.0 ms\n");
}

TEST(OrderText, ManyMethodsBecomeSeveralTablesThatFit) {
  OrderReport r;
  for (int s = 1; s < 12; ++s)
    for (const double h : {0.1, 0.05}) {
      const std::string label = "spark-lobatto-ab-modified(" + std::to_string(s) + ")";
      r.runs.push_back({"spark-lobatto-ab-modified", s, h, h, 0.001, 0, 0, 0, label});
    }
  expect_fits(to_text(r));
  expect_contains(to_text(r), "spark-lobatto-ab-modified(11)");
}

TEST(MethodsText, FitsAndNamesAll) {
  const std::string text = report::methods_text();
  expect_fits(text);
  for (const MethodInfo& info : methods()) expect_contains(text, "\n" + std::string(info.name) + " ");
}

TEST(SystemsText, FitsAndNamesAll) {
  const std::string text = report::systems_text();
  expect_fits(text);
  for (const ShippedModel& model : shipped_models()) expect_contains(text, "\n" + std::string(model.key) + " ");
}

TEST(Layout, DurationsAreForPeople) {
  EXPECT_EQ(duration_text(12e-6), "12 us");
  EXPECT_EQ(duration_text(0.0021), "2.1 ms");
  EXPECT_EQ(duration_text(0.25), "250 ms");
  EXPECT_EQ(duration_text(3.42), "3.4 s");
  EXPECT_EQ(duration_text(125.0), "2 min 5 s");
  EXPECT_EQ(duration_text(7260.0), "2 h 1 min");
}

TEST(Layout, AccentsCountOneColumn) {
  EXPECT_EQ(report::display_width("Poincaré"), 8U);
  EXPECT_EQ(report::pad("é", 3), "é  ");
}

}  // namespace
}  // namespace rattleback
