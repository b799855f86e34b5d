// The audit of a run in statements: the sentences that the terminal shows below "What was kept", each with its verdict and
// the number that it rests on.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "audit/energy_balance.hpp"
#include "rattleback/audit.hpp"
#include "text/quantities.hpp"

namespace rattleback {

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok: return "ok";
    case Verdict::note: return "note";
    case Verdict::warning: return "warning";
  }
  return "";
}

namespace {

Verdict ok_if(bool holds) { return holds ? Verdict::ok : Verdict::warning; }

class Statements {
 public:
  void add(Verdict verdict, std::string quantity, std::optional<double> number, std::string text) {
    list.push_back({verdict, std::move(quantity), number, std::move(text)});
  }
  void note(std::string quantity, std::optional<double> number, std::string text) {
    add(Verdict::note, std::move(quantity), number, std::move(text));
  }

  std::vector<Statement> list;
};

// How the energy error develops. A drift: a fitted line explains most of it, and the error still grows in the second half
// of the run; an oscillating error fails the first, one that was made at once and then stays fails the second. At
// rounding level a slope says nothing.
enum class Trend { steady, drifting, exploding };

Trend energy_trend(const Trajectory& t) {
  const EnergyAudit& e = *t.energy;
  const double rounding = 1e3 * std::numeric_limits<double>::epsilon() * std::max(1.0, std::fabs(e.initial));
  if (e.max_error < rounding) return Trend::steady;
  // The records are not at the ends of steps, which is where the error was measured, or have what events have taken.
  if (t.output_every != 0.0 || t.taken_by_events)
    return std::fabs(e.drift_per_time * t.t) > 0.5 * e.max_error ? Trend::drifting : Trend::steady;
  const std::vector<double>& energy = t.records.energy;
  const auto largest = [&](std::size_t begin, std::size_t end) {
    double error = 0.0;
    for (std::size_t i = begin; i < end; ++i) error = std::fmax(error, std::fabs(energy[i] - e.initial));
    return error;
  };
  const double first = largest(0, energy.size() / 2), second = largest(energy.size() / 2, energy.size());
  if (energy.size() >= 4 && second > 20.0 * first) return Trend::exploding;
  const bool grows = energy.size() < 4 || second > 1.5 * first;
  return grows && std::fabs(e.drift_per_time * t.t) > 0.5 * e.max_error ? Trend::drifting : Trend::steady;
}

void state_energy(Statements& out, const Model& model, const Trajectory& t) {
  const EnergyAudit& e = *t.energy;
  if (const std::string why = why_energy_changes(model); !why.empty())
    return out.note("energy", e.final - e.initial,
                    fmt::format("Energy: went from {} to {}. {}, so it is not expected to be kept.",
                                value_text(e.initial), value_text(e.final), why));
  // An energy that starts near 0 is compared with the kinetic energy that came and went.
  const bool near_zero = std::fabs(e.initial) <= 1e-3 * e.max_kinetic;
  const double size = near_zero ? e.max_kinetic : std::fabs(e.initial);
  const double relative = size > 0.0 ? e.max_error / size : 0.0;
  const bool kept = relative < 0.1;
  const Trend trend = energy_trend(t);
  std::string text = fmt::format("Energy: {} {}", kept ? "kept to" : "not kept, off by up to", size_text(e.max_error));
  if (relative != 0.0 && !near_zero) text += fmt::format(" (relative {})", size_text(relative));
  switch (trend) {
    case Trend::steady: text += kept ? "; no drift." : ". The step is probably too large."; break;
    case Trend::drifting:
      text += fmt::format("; it drifts by {} per unit of time.", size_text(e.drift_per_time));
      break;
    case Trend::exploding: text += "; most of it at the end of the run."; break;
  }
  if (t.taken_by_events)
    text += fmt::format(" What events {} is not counted: {}.", *t.taken_by_events < 0.0 ? "gave" : "took",
                        value_text(std::fabs(*t.taken_by_events)));
  out.add(ok_if(kept && trend == Trend::steady), "energy", e.max_error, std::move(text));
}

void state_invariant(Statements& out, const InvariantAudit& i) {
  constexpr double kKept = 1e-9, kLost = 0.1;  // of the largest value
  const double relative = i.size > 0.0 ? i.max_error / i.size : 0.0;
  const bool kept = relative < kLost;
  out.add(
      relative <= kKept ? Verdict::ok
      : kept            ? Verdict::note
                        : Verdict::warning,
      "invariant " + i.name, i.max_error,
      fmt::format("Invariant {}: {} {}{}.", i.name, kept ? "kept to" : "not kept, off by up to", size_text(i.max_error),
                  relative != 0.0 ? fmt::format(" (of {} at most)", value_text(i.size)) : ""));
}

void state_momentum(Statements& out, const MomentumAudit& m, const std::string& method) {
  constexpr double kCloses = 1e-10;  // of the momentum and its impulse: rounding and Newton's tolerance stay below it
  const std::string name = "momentum " + m.name;
  std::string text = fmt::format("Momentum of {}: is not kept, it went from {} to {}; ", m.name, value_text(m.initial),
                                 value_text(m.final));
  if (!m.residual) {
    out.add(Verdict::note, name, 0.0, text + fmt::format("{} does not tell what acted along it.", method));
    return;
  }
  const double size = std::fmax(std::fmax(std::fabs(m.initial), std::fabs(m.final)), std::fabs(*m.impulse));
  out.add(*m.residual <= kCloses * size ? Verdict::ok : Verdict::note, name, *m.residual,
          text + fmt::format("what acted along it adds up to {}, and in each step this closes to {}.",
                             value_text(*m.impulse), size_text(*m.residual)));
}

void state_power(Statements& out, const PowerBalance& b) {
  constexpr double kCloses = 1e-10;  // of the largest energy: rounding and Newton's tolerance stay below it
  const double relative = b.largest_energy > 0.0 ? b.max_residual / b.largest_energy : 0.0;
  // A balance that does not close is that of a method which does not promise it.
  out.add(b.max_residual <= kCloses * b.largest_energy ? Verdict::ok : Verdict::note, "power balance", b.max_residual,
          fmt::format("Power balance: stored {}, supplied {}, dissipated {}; in each step it closes to {} (relative to "
                      "the largest energy: {}).",
                      value_text(b.stored), value_text(b.supplied), value_text(b.dissipated), size_text(b.max_residual),
                      size_text(relative)));
  for (const PowerBalance::Part& p : b.parts)
    out.note("power balance of " + p.name, p.max_residual,
             fmt::format("Part '{}': stored {}, supplied {}, received {}, dissipated {}; closes to {}.", p.name,
                         value_text(p.stored), value_text(p.supplied), value_text(p.received), value_text(p.dissipated),
                         size_text(p.max_residual)));
  if (!b.parts.empty())
    out.note("connection", b.connection_residual,
             fmt::format("What the parts received from each other adds up to {}.", size_text(b.connection_residual)));
}

// The first few events of unilateral constraints, each with its time.
void state_contacts(Statements& out, const Model& model, const Trajectory& t) {
  for (std::size_t i = 0; i < std::min(t.contacts.size(), kShownNames); ++i) {
    const Contact& c = t.contacts[i];
    const std::string name = model.constraint_names[c.constraint];
    const auto say = [&](std::string text) { out.note("contact " + name, c.t, std::move(text)); };
    switch (c.what) {
      case Contact::What::lift_off: say(fmt::format("Lifts off '{}' at t = {}.", name, value_text(c.t))); break;
      case Contact::What::impact:
        say(fmt::format("Bounces off '{}' at t = {}, met with {}.", name, value_text(c.t), value_text(c.speed)));
        break;
      case Contact::What::rest:
        say(fmt::format("Comes to '{}' at t = {}, met with {}, and stays.", name, value_text(c.t),
                        value_text(c.speed)));
        break;
    }
  }
  if (t.contacts.size() > kShownNames) {
    const std::size_t more = t.contacts.size() - kShownNames;
    out.note("contacts", static_cast<double>(more), fmt::format("... and {} more (--json gives all).", more));
  }
}

// A residual that is more than rounding is not called kept.
constexpr double kStillKept = 1e-8;
bool still_kept(double residual) { return residual <= kStillKept; }
std::string kept(double residual) {
  return fmt::format("{} {}", still_kept(residual) ? "kept to" : "off by up to", size_text(residual));
}

void state_both_levels(Statements& out, double position, double velocity) {
  const bool holds = still_kept(position) && still_kept(velocity);
  out.add(ok_if(holds), "constraints", std::fmax(position, velocity),
          fmt::format("Constraints: position level {}, velocity level {}.", kept(position),
                      holds ? "to " + size_text(velocity) : kept(velocity)));
}

void state_mechanical_constraints(Statements& out, const Model& model, const Trajectory& t) {
  const auto plural = [](std::int32_t n) { return n == 1 ? "constraint" : "constraints"; };
  const std::int32_t holonomic = model.holonomic_names.size(), all = holonomic + model.nonholonomic_names.size();
  const auto residual = [&](const char* quantity, double size, std::string text) {
    out.add(ok_if(still_kept(size)), quantity, size, std::move(text));
  };
  if (all == 0) return out.note("constraints", {}, "Constraints: there are none.");
  if (t.constraint_position && holonomic > 0)
    residual("position constraints", *t.constraint_position,
             fmt::format("Position {}: {}{}.", plural(holonomic), kept(*t.constraint_position),
                         t.formulation == Formulation::index2 ? "; index2 imposes the velocity level only" : ""));
  else
    out.note("position constraints", {}, "Position level: not constrained.");
  if (t.constraint_velocity)
    residual("velocity constraints", *t.constraint_velocity,
             fmt::format("Velocity {}: {}.", plural(all), kept(*t.constraint_velocity)));
  if (t.constraint_midpoint)
    residual("midpoint constraints", *t.constraint_midpoint,
             fmt::format("At the midpoints, where this method imposes them: {}.", kept(*t.constraint_midpoint)));
}

void state_constraints(Statements& out, const Model& model, const Trajectory& t) {
  const double position = t.constraint_position.value_or(0);
  switch (model.kind) {
    case Kind::mechanical: return state_mechanical_constraints(out, model, t);
    case Kind::dae:
      return out.add(ok_if(still_kept(position)), "constraints", position,
                     fmt::format("Constraints: {}.", kept(position)));
    case Kind::odae:
      state_both_levels(out, position, t.constraint_velocity.value_or(0));
      return state_contacts(out, model, t);
    case Kind::skew_gradient:
    case Kind::port_hamiltonian: return;
  }
}

void state_redundant(Statements& out, const RedundantAudit& r) {
  if (r.rank >= r.rows) return;
  const std::string changes =
      r.changes.empty() ? ""
                        : fmt::format(", after {}", count_text(static_cast<std::int64_t>(r.changes.size()), "change"));
  out.note("rank", r.rank,
           fmt::format("Constraints: rank {} of {} at the end; integrated without {}{}.", r.rank, r.rows,
                       names_text(r.dropped), changes));
}

// Accelerations and multipliers are not part of the state: they are as good as the equations that give them.
void state_equations(Statements& out, const EquationsAudit& e) {
  const bool satisfied = e.residual <= EquationsAudit::kLargestResidual;
  out.add(ok_if(satisfied), "equations of motion", e.residual,
          fmt::format("Equations of motion: {} {} by accelerations and multipliers; condition {:.1e}.",
                      satisfied ? "satisfied to" : "off by up to", size_text(e.residual), e.condition));
}

void state_comparisons(Statements& out, const Trajectory& t) {
  constexpr double kReturns = 1e-6;
  if (t.error)
    out.note("error", *t.error, fmt::format("Error at the end against the exact solution: {}.", size_text(*t.error)));
  if (t.reverse_defect) {
    const bool returns = *t.reverse_defect <= kReturns;
    out.add(ok_if(returns), "reversibility", *t.reverse_defect,
            fmt::format("Integrated back: {} {} (relative).",
                        returns ? "returns to the start up to" : "misses the start by", size_text(*t.reverse_defect)));
  }
  if (t.observed_order)
    out.note("observed order", *t.observed_order,
             fmt::format("Observed order, from repeating with h/2 and h/4: {:.2f}.", *t.observed_order));
}

// What chose the steps, and what that means for a long run.
void state_controller(Statements& out, const AdaptiveAudit& a, bool exact_energy) {
  std::string text = fmt::format("Steps: chosen by the {} controller, tolerance {}; {} rejected. ",
                                 to_string(a.controller), size_text(a.tolerance), a.rejected);
  switch (a.controller) {
    case Controller::pi:
      text += std::string("It holds the error of each step, not the long-time behaviour: ") +
              (exact_energy ? "the method keeps the energy, other invariants may drift." : "the energy may drift.");
      break;
    case Controller::reversible:
      text += "It is symmetric in time: a symmetric method keeps its long-time behaviour.";
      break;
  }
  out.note("steps", a.tolerance, std::move(text));
}

// What one step cost, on average and at most.
void state_newton(Statements& out, const Trajectory& t) {
  const double per_step = static_cast<double>(t.newton_iterations) / static_cast<double>(t.steps);
  const bool pi = t.adaptive && t.adaptive->controller == Controller::pi;
  out.note(
      "newton", per_step,
      fmt::format("Newton: {} in all, {:.1f} per step, at most {}{}.", count_text(t.newton_iterations, "iteration"),
                  per_step, t.newton_max_per_step, pi ? ", with rejected tries and error estimates" : ""));
}

// What a run that took no step has instead of an audit.
std::string nothing_sentence(Status status) {
  switch (status) {
    case Status::done: return "Nothing was integrated: no steps were asked for.";
    case Status::stopped: return "Stopped in the first step: nothing was integrated. The message says why.";
    case Status::cancelled: return "Cancelled before the first step: nothing was integrated.";
  }
  return "";
}

}  // namespace

std::vector<Statement> audit_statements(const Model& model, const Trajectory& t) {
  Statements out;
  if (t.steps == 0) {
    out.note("run", {}, nothing_sentence(t.status));
    return std::move(out.list);
  }
  const auto info = std::ranges::find(methods(), t.method, &MethodInfo::name);  // none: a user's tableau
  const bool exact_energy = info != methods().end() && info->energy == Claim::yes;
  const bool chooses_steps = info != methods().end() && info->adaptive;
  if (t.energy) state_energy(out, model, t);
  for (const InvariantAudit& i : t.invariants) state_invariant(out, i);
  for (const MomentumAudit& m : t.momenta) state_momentum(out, m, t.method);
  if (t.power_balance) state_power(out, *t.power_balance);
  state_constraints(out, model, t);
  if (t.redundant) state_redundant(out, *t.redundant);
  if (t.equations) state_equations(out, *t.equations);
  state_comparisons(out, t);
  if (t.adaptive) state_controller(out, *t.adaptive, exact_energy);
  if (t.newton_iterations > 0 && !chooses_steps) state_newton(out, t);
  return std::move(out.list);
}

}  // namespace rattleback
