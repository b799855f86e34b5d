// What is said of a run and of a model: the verdict of each statement follows from its number, not from its words.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "rattleback/audit.hpp"

namespace rattleback {
namespace {

// A pendulum in the plane, with records of its energy.
Model pendulum() { return load_model("pendulum"); }

Trajectory run_with_energies(double initial, const std::vector<double>& energies, double drift) {
  Trajectory t;
  t.method = "spark-gauss";
  t.steps = 100;
  t.t = 10.0;
  t.records.energy = energies;
  EnergyAudit e{.initial = initial, .final = energies.back(), .max_error = 0.0, .drift_per_time = drift};
  for (const double energy : energies) e.max_error = std::max(e.max_error, std::fabs(energy - initial));
  t.energy = e;
  return t;
}

Statement about(const std::string& quantity, const std::vector<Statement>& statements) {
  for (const Statement& s : statements)
    if (s.quantity == quantity) return s;
  ADD_FAILURE() << "nothing is said about " << quantity;
  return {};
}

TEST(Statements, EnergyIsKeptUnlessItDriftsExplodesOrIsLost) {
  const Model model = pendulum();
  const auto said = [&](const Trajectory& t) { return about("energy", audit_statements(model, t)); };
  const Statement kept = said(run_with_energies(1.0, {1.0, 1.00003, 1.0, 1.00003, 1.0, 1.00003}, 0.0));
  EXPECT_EQ(kept.verdict, Verdict::ok);
  EXPECT_EQ(kept.text, "Energy: kept to 3.0e-05 (relative 3.0e-05); no drift.");
  EXPECT_NEAR(*kept.number, 3e-5, 1e-15);
  const Statement drift = said(run_with_energies(1.0, {1.0, 1.0, 1.0, 1.00001, 1.00002, 1.00003}, 3e-6));
  EXPECT_EQ(drift.verdict, Verdict::warning) << drift.text;
  const Statement explodes = said(run_with_energies(1.0, {1.0, 1.0, 1.0, 1.0, 1.0, 1.05}, 0.0));
  EXPECT_EQ(explodes.verdict, Verdict::warning) << explodes.text;
  const Statement lost = said(run_with_energies(1.0, {1.0, 3.0, 1.0, 3.0, 1.0, 3.0}, 0.0));
  EXPECT_EQ(lost.verdict, Verdict::warning);
  EXPECT_EQ(lost.text, "Energy: not kept, off by up to 2.0e+00 (relative 2.0e+00). The step is probably too large.");
}

TEST(Statements, ConstraintsAreKeptToRoundingOrNot) {
  const Model model = load_model("skate");
  Trajectory t;
  t.method = "spark-gauss";
  t.steps = 1;
  t.constraint_velocity = 1e-15;
  t.reverse_defect = 0.1;
  t.newton_iterations = 3;
  t.newton_max_per_step = 3;
  t.equations = EquationsAudit{.residual = 1e-5, .condition = 10.0};
  const std::vector<Statement> statements = audit_statements(model, t);
  EXPECT_EQ(about("position constraints", statements).verdict, Verdict::note);
  EXPECT_FALSE(about("position constraints", statements).number);
  EXPECT_EQ(about("velocity constraints", statements).verdict, Verdict::ok);
  EXPECT_EQ(about("equations of motion", statements).verdict, Verdict::warning);
  EXPECT_EQ(about("reversibility", statements).verdict, Verdict::warning);
  EXPECT_EQ(about("reversibility", statements).text, "Integrated back: misses the start by 1.0e-01 (relative).");
  EXPECT_EQ(about("newton", statements).verdict, Verdict::note);
  EXPECT_EQ(about("newton", statements).number, 3.0);
  t.constraint_velocity = 1e-5;
  EXPECT_EQ(about("velocity constraints", audit_statements(model, t)).verdict, Verdict::warning);
  EXPECT_EQ(about("velocity constraints", audit_statements(model, t)).text,
            "Velocity constraint: off by up to 1.0e-05.");
}

TEST(Statements, NamesDoNotChangeAVerdict) {
  Trajectory t;
  t.steps = 1;
  t.redundant = RedundantAudit{
      .rank = 1, .rows = 2, .dropped = {"off by up to", "kept to"}, .changes = {}, .losses = {}, .unclear = {}};
  EXPECT_EQ(about("rank", audit_statements(pendulum(), t)).verdict, Verdict::note);
}

TEST(Statements, ARunWithoutStepsHasOne) {
  Trajectory t;
  EXPECT_EQ(audit_statements(pendulum(), t).front().text, "Nothing was integrated: no steps were asked for.");
  t.status = Status::stopped;
  const std::vector<Statement> statements = audit_statements(pendulum(), t);
  ASSERT_EQ(statements.size(), 1u);
  EXPECT_EQ(statements[0].text, "Stopped in the first step: nothing was integrated. The message says why.");
}

TEST(Statements, OfACheckAreItsFacts) {
  const Model model = load_model("rolling-disk");
  CheckReport report = check(model);
  std::vector<Statement> statements = audit_statements(model, report);
  EXPECT_EQ(about("constraints", statements).verdict, Verdict::ok);
  EXPECT_EQ(about("constraints", statements).number, 2.0);
  EXPECT_EQ(about("constraints", statements).text, "2, of rank 2 at the start");
  EXPECT_EQ(about("start", statements).verdict, Verdict::ok);
  EXPECT_EQ(statements.back().quantity, kIntegrability);
  report.derivatives_ok = report.consistent = false;
  statements = audit_statements(model, report);
  EXPECT_EQ(about("derivatives", statements).verdict, Verdict::warning);
  EXPECT_EQ(about("start", statements).verdict, Verdict::warning);
}

}  // namespace
}  // namespace rattleback
