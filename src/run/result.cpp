#include "run/result.hpp"

#include <cmath>
#include <new>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "audit/equations_of_motion.hpp"
#include "audit/rank.hpp"
#include "expr/evaluator.hpp"
#include "expr/scalars.hpp"
#include "expr/vectors.hpp"
#include "model/kind_facts.hpp"
#include "system/angles.hpp"
#include "system/start/exact_start.hpp"

namespace rattleback {
namespace {

// What the reader should know about constraints that depend on the others.
void add_notes(const RedundantAudit& r, std::vector<std::string>& notes) {
  const bool one = r.dropped.size() == 1;
  const std::string names = fmt::format("'{}'", fmt::join(r.dropped, "', '"));
  const char* const multipliers = "of the multipliers, which are not unique, those of minimum norm are reported";
  if (r.changes.empty() && !r.dropped.empty())
    notes.push_back(fmt::format("{} {} from the other constraints: integrated without {}; {}", names,
                                one ? "follows" : "follow", one ? "it" : "them", multipliers));
  if (!r.changes.empty())
    notes.push_back(fmt::format(
        "constraints depend on one another (rank {} of {} at the end), and which were left out changed {}, last at t = "
        "{:.6g}, since when {}; {}",
        r.rank, r.rows, r.changes.size() == 1 ? "once" : fmt::format("{} times", r.changes.size()), r.changes.back().t,
        r.dropped.empty() ? "all are integrated" : fmt::format("{} {} left out", names, one ? "is" : "are"),
        multipliers));
  if (!r.losses.empty())
    notes.push_back(fmt::format(
        "the constraints lose rank at t = {:.10g} ({} of {}){}: the step from there kept all of them, and the motion "
        "may branch there",
        r.losses.front().t, r.losses.front().rank, r.rows,
        r.losses.size() == 1 ? "" : fmt::format(" and at {} other moments", r.losses.size() - 1)));
  if (r.unclear)
    notes.push_back(fmt::format(
        "the rank of the constraints is not clear at t = {:.6g}: of rows of length 1, {:.1e} counts as independent and "
        "{:.1e} as dependent; multipliers near there have few digits",
        r.unclear->t, r.unclear->smallest, r.unclear->remainder));
}

// At the start, the end, and some records between them.
void audit_equations(RunParts& run, Trajectory& out) {
  constexpr std::size_t kBetween = 6;
  const Trajectory::Records& r = out.records;
  const Start& start = run.start;
  const std::size_t n = start.q.size(), nv = start.v.size(), m = out.multipliers.size();
  const bool own = run.options.multiplier != Multiplier::acceleration;
  if (!run.core.equations) run.core.equations.emplace(run.system);
  EquationsOfMotion& equations = *run.core.equations;
  equations.forget();
  Acceleration& acceleration = *run.acceleration;
  acceleration.use_set(-1);
  const auto look = [&](double t, std::span<const double> q, std::span<const double> v,
                        std::span<const double> multipliers) {
    acceleration.set_guess(run.stepper().multiplier_guess());
    if (!acceleration.solve(t, q, v)) return;
    // Values that a method computes itself, on request, have its order and not more.
    if (own && run.system.facts().algebraic_states) q = acceleration.consistent_state();
    equations.look(t, q, v, own ? acceleration.multipliers() : multipliers, acceleration.acceleration(),
                   acceleration.kept());
  };
  look(start.t, start.q, start.v, start.multipliers);
  if (r.multipliers.size() == r.rows * m && !run.system.is_large())
    for (std::size_t k = 1; k <= kBetween && r.rows > 2; ++k) {
      const std::size_t i = k * (r.rows - 1) / (kBetween + 1);
      look(r.t[i], std::span(r.q).subspan(i * n, n), std::span(r.v).subspan(i * nv, nv),
           std::span(r.multipliers).subspan(i * m, m));
    }
  look(out.t, out.q, out.v, out.multipliers);
  out.equations = equations.audit();
  if (!out.equations) return;
  if (std::string warning = equations_warning(*out.equations); !warning.empty())
    out.notes.push_back(std::move(warning));
}

void audit_rank(const RunParts& run, bool ok, Trajectory& out) {
  const System& system = run.system;
  if (const RankMargin turns = kinematics_margin(system.model(), out.records); turns.smallest < kCloseToLosingRank)
    out.notes.push_back(fmt::format(
        "the kinematics are nearly singular at t = {:.6g} (smallest singular value {:.1e} of the usual one): rates of "
        "the "
        "coordinates grow there and are less accurate. Euler angles have such places, quaternions have none",
        turns.t, turns.smallest));
  if (system.as<Mechanical>() == nullptr) return;
  const RankMargin margin = rank_margin(system, out.records, out.redundant ? out.redundant->rank : system.m());
  if (!(margin.smallest < kCloseToLosingRank)) return;
  out.notes.push_back(fmt::format(
      "the constraints nearly lose rank at t = {:.6g} (smallest singular value {:.1e} of the largest): {}, "
      "and velocities and multipliers are less accurate near there",
      margin.t, margin.smallest, ok ? "the steps passed it" : "the run stopped early, perhaps because of it"));
}

void audit_residuals(const RunParts& run, Trajectory& out) {
  const System& system = run.system;
  const Monitor& monitor = run.monitor;
  if (system.has_energy())
    out.energy =
        EnergyAudit{monitor.initial_energy(), monitor.final_energy() - (run.single ? run.single->taken() : 0.0),
                    monitor.max_energy_error, monitor.energy_drift(), monitor.max_kinetic};
  out.invariants = run.invariants.audit();
  if (facts_of(system.model()).velocities) out.constraint_velocity = monitor.max_velocity;
  if (run.method.two_step) out.constraint_midpoint = monitor.max_midpoint;
  if (has_position_level(system.model())) out.constraint_position = monitor.max_position;
}

void audit_error(RunParts& run, Trajectory& out) {
  const Start& start = run.start;
  const auto at_start = run.system.exact_error(start.t, start.q, start.v, start.multipliers);
  if (!at_start) return;
  // [exact] belongs to one start; after --start or --project it may be the solution of another problem.
  if (*at_start <= kExactStartTolerance &&
      exact_start_defect(run.system.model(), start.q, start.v) <= kExactStartTolerance)
    out.error = run.system.exact_error(out.t, out.q, out.v, out.multipliers);
  else
    out.notes.push_back("[exact] is not the solution from this start, so no error is reported");
}

void audit_power(const RunParts& run, Trajectory& out) {
  const PowerSums* const power = run.stepper().power();
  if (power == nullptr || (run.method.tells_momenta && !run.options.audit_power)) return;
  out.power_balance = power->balance(run.system.model().ph.parts);
  PowerBalance& b = *out.power_balance;
  // An energy near 0 is compared with the kinetic energy that came and went.
  b.largest_energy = std::fmax(b.largest_energy, run.monitor.max_kinetic);
  if (b.gaining_steps > 0)
    out.notes.push_back(fmt::format(
        "the dissipation inequality is violated in {} of {} steps: dampers gave energy, up to {:.2e} in one step",
        b.gaining_steps, run.steps, -b.least_dissipated));
}

void audit_momenta(const RunParts& run, Trajectory& out) {
  const std::vector<Symmetry>& lost = run.system.watched_momenta();
  if (lost.empty()) return;
  const Mechanical& f = run.system.mechanical();
  Graph g = f.graph;
  std::vector<NodeId> nodes;  // J = L_v xi
  for (const Symmetry& symmetry : lost) nodes.push_back(dot(g, f.p, scalars(g, symmetry.field, f.n)));
  Evaluator at(g, nodes, run.system.n(), run.system.m());
  const auto values = [&](double t, const std::vector<double>& q, const std::vector<double>& v) {
    const std::span<const double> J = at(t, q, v);
    return std::vector<double>(J.begin(), J.end());
  };
  const std::vector<double> first = values(run.start.t, run.start.q, run.start.v), last = values(out.t, out.q, out.v);
  const PowerSums* const sums = run.method.tells_momenta ? run.stepper().power() : nullptr;
  for (std::size_t i = 0; i < lost.size(); ++i) {
    MomentumAudit& audit = out.momenta.emplace_back();
    audit.name = lost[i].name;
    audit.initial = first[i];
    audit.final = last[i];
    if (sums == nullptr) continue;
    const PowerBalance::Part part = sums->part(sums->parts() - lost.size() + i);
    audit.impulse = part.supplied;
    audit.residual = part.max_residual;
  }
}

}  // namespace

void describe(const RunParts& run, Trajectory& out) {
  const BoundMethod& method = run.method;
  out.method = method.name;
  out.formulation = method.formulation;
  out.stages = method.stages;
  out.order = method.order();
  out.orders = method.orders;
  out.tableau = method.tableau;
  out.step = run.grid.h;
  out.steps = run.steps;
  out.every = run.grid.every;
  out.t = run.stepper().t();
  out.notes.insert(out.notes.begin(), run.start.notes.begin(), run.start.notes.end());
  out.redundant = run.stepper().redundant();
  if (out.redundant) add_notes(*out.redundant, out.notes);
  out.notes.insert(out.notes.end(), method.notes.begin(), method.notes.end());
  if (run.grid.thinned) out.notes.push_back(thinned_note(run.grid));
}

void final_state(RunParts& run, Trajectory& out) {
  const StepTaker& s = run.stepper();
  out.start_q = run.start.q;
  out.start_v = run.start.v;
  out.q = unwrapped(run.reported(s.t(), s.q()), s.turns());
  out.v.assign(s.v().begin(), s.v().end());
  if (std::string note = run.reported.note(); !note.empty()) out.notes.push_back(std::move(note));
  if (!append_multipliers(run.core, {s.t(), s.q(), s.v(), s.turns(), &s}, out.multipliers) && run.system.m() > 0)
    out.notes.emplace_back(run.system.redundancy()
                               ? "the constraints do not determine the multipliers at the end: none are reported"
                               : "the acceleration level does not determine the multipliers at the end: those of the "
                                 "last stage are reported");
  out.quantity_names = run.quantities.names();
  out.drawn_quantities = run.quantities.drawn();
  const std::span<const double> values =
      quantities_at(run, {s.t(), s.q(), s.v(), s.turns(), &s}, out.q, out.multipliers);
  out.quantities.assign(values.begin(), values.end());
  if (selects_columns(run.options)) out.selected_columns = listed_columns(run.options);
  out.contacts.assign(s.contacts().begin(), s.contacts().end());
}

void audit(RunParts& run, bool ok, bool equations, Trajectory& out) {
  if_it_fits("the audit of the equations of motion", out, [&] {
    if (equations) audit_equations(run, out);
  });
  if_it_fits("the audit of the rank", out, [&] { audit_rank(run, ok, out); });
  audit_residuals(run, out);
  audit_error(run, out);
  audit_power(run, out);
  audit_momenta(run, out);
}

}  // namespace rattleback
