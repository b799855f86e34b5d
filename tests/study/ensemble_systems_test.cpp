// Members of every shipped system have the bits of its runs: state, multipliers, outputs, audit and records, whether they are taken in
// lanes or alone.
#include <cstring>

#include "output/lists.hpp"
#include "study/support.hpp"

namespace rattleback::testing {
namespace {

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

void expect_run(const EnsembleMember& m, const Trajectory& run) {
  EXPECT_EQ(m.status, run.status);
  EXPECT_EQ(m.t, run.t);
  EXPECT_TRUE(same(m.q, run.q));
  EXPECT_TRUE(same(m.v, run.v));
  EXPECT_TRUE(same(m.multipliers, run.multipliers));
  EXPECT_TRUE(same(m.outputs, run.quantities));
  ASSERT_EQ(m.energy.has_value(), run.energy.has_value());
  if (run.energy) EXPECT_EQ(m.energy, run.energy->final);
  if (run.energy) EXPECT_EQ(m.energy_error, run.energy->max_error);
  ASSERT_EQ(m.power_balance.has_value(), run.power_balance.has_value());
  if (run.power_balance) EXPECT_EQ(m.power_balance, run.power_balance->max_residual);
  EXPECT_EQ(m.constraint_position, run.constraint_position);
  ASSERT_EQ(m.invariants.size(), run.invariants.size());
  for (std::size_t i = 0; i < m.invariants.size(); ++i) EXPECT_EQ(m.invariants[i], run.invariants[i].max_error);
}

void expect_records(const Trajectory& kept, const Trajectory& run) {
  using R = Trajectory::Records;
  EXPECT_EQ(kept.records.rows, run.records.rows);
  for (auto list : {&R::t, &R::q, &R::v, &R::multipliers, &R::energy, &R::residual_position, &R::residual_velocity,
                    &R::quantities, &R::balance, &R::inputs, &R::outputs})
    EXPECT_TRUE(same(kept.records.*list, run.records.*list));
}

TEST(EnsembleOfEverySystem, HasTheBitsOfItsRuns) {
  int kinds[5] = {}, seen = 0;
  for (const report::ListedSystem& system : report::systems()) {
    SCOPED_TRACE(system.key);
    const Model model = load_model(system.key);
    EnsembleRequest r;
    r.members.count = 3;  // without names: the system as it is
    r.options.step = model.run.step.value_or(0.01);
    r.options.until = 12.0 * r.options.step;
    r.options.every = 4;
    r.options.project = true;
    r.options.native = "off";
    const std::string name = model.coordinates[0];  // "part.state" of an interconnection is no name in formulas
    r.options.output_columns = "t + 2*" + (name.find('.') == std::string::npos ? name : "t");
    const Trajectory run = simulate(model, r.options);
    int kept = 0;
    r.keep = [&](std::size_t, const Trajectory& one) {
      ++kept;
      expect_records(one, run);
    };
    const EnsembleReport report = ensemble(MemberSource{system.key}, r);
    EXPECT_EQ(kept, 3);
    EXPECT_EQ(report.output_names, run.quantity_names);
    for (const EnsembleMember& m : report.members) expect_run(m, run);
    ++kinds[static_cast<int>(model.kind)];
    ++seen;
  }
  EXPECT_GT(seen, 25);
  for (const int of : kinds) EXPECT_GT(of, 0);
}

}  // namespace
}  // namespace rattleback::testing
