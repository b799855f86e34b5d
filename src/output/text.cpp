// Reports for people: what was computed, what was kept and how well, in sentences with their numbers.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "audit/energy_balance.hpp"
#include "output/layout.hpp"
#include "output/lists.hpp"
#include "output/statements.hpp"
#include "rattleback/write.hpp"

namespace rattleback {
namespace {

using namespace report;

constexpr std::size_t kShownCoordinates = 16;
constexpr std::size_t kShownNames = 8;

std::string sentence(const std::string& text) { return wrap(text, "  ", "    "); }

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShownNames); ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kShownNames) text += fmt::format(" and {} more", names.size() - kShownNames);
  return text;
}

// Coordinates with their velocities, then multipliers; of large systems the first ones.
std::string state_table(const Model& model, const std::vector<double>& q, const std::vector<double>& v,
                        const std::vector<double>& multipliers) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < std::min(q.size(), kShownCoordinates); ++i) {
    const std::string name = model.coordinates[static_cast<std::int32_t>(i)];
    rows.push_back({name, "=", value_text(q[i])});
    if (i < v.size() && model.kind != Kind::odae)
      rows.back().insert(rows.back().end(), {"  " + name + "'", "=", value_text(v[i])});
  }
  if (model.kind == Kind::odae)  // velocities have names of their own, and there may be more or fewer
    for (std::size_t i = 0; i < std::min(v.size(), kShownCoordinates); ++i) {
      if (i >= rows.size()) rows.push_back({"", "", ""});
      rows[i].insert(rows[i].end(),
                     {"  " + model.odae.velocities[static_cast<std::int32_t>(i)], "=", value_text(v[i])});
    }
  std::string text = align(rows, 2, {false, false, true, false, false, true});
  if (q.size() > kShownCoordinates)
    text += fmt::format("  ... and {} more (--json and --output give all)\n", q.size() - kShownCoordinates);

  rows.clear();
  for (std::size_t i = 0; i < std::min(multipliers.size(), kShownNames); ++i) {
    const std::string name = model.multiplier_name(static_cast<std::int32_t>(i));
    rows.push_back(
        {model.kind != Kind::mechanical ? name : fmt::format("lambda({})", name), "=", value_text(multipliers[i])});
  }
  text += align(rows, 2, {false, false, true});
  if (multipliers.size() > kShownNames) text += fmt::format("  ... and {} more\n", multipliers.size() - kShownNames);
  return text;
}

// How the energy error develops. A drift: a fitted line explains most of it, and the error still grows in the second half
// of the run; an oscillating error fails the first, one that was made at once and then stays fails the second. At
// rounding level a slope says nothing.
enum class Trend { steady, drifting, exploding };

Trend energy_trend(const Trajectory& t) {
  const EnergyAudit& e = *t.energy;
  const double rounding = 1e3 * std::numeric_limits<double>::epsilon() * std::max(1.0, std::fabs(e.initial));
  if (e.max_error < rounding) return Trend::steady;
  if (t.output_every != 0.0)  // the records are not at the ends of steps, which is where the error was measured
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

std::string energy_sentence(const Model& model, const Trajectory& t) {
  const EnergyAudit& e = *t.energy;
  if (const std::string why = why_energy_changes(model); !why.empty())
    return fmt::format("Energy: went from {} to {}. {}, so it is not expected to be kept.", value_text(e.initial),
                       value_text(e.final), why);
  // An energy that starts near 0 is compared with the kinetic energy that came and went.
  const bool near_zero = std::fabs(e.initial) <= 1e-3 * e.max_kinetic;
  const double size = near_zero ? e.max_kinetic : std::fabs(e.initial);
  const double relative = size > 0.0 ? e.max_error / size : 0.0;
  const bool kept = relative < 0.1;
  std::string text = fmt::format("Energy: {} {}", kept ? "kept to" : "not kept, off by up to", size_text(e.max_error));
  if (relative != 0.0 && !near_zero) text += fmt::format(" (relative {})", size_text(relative));
  switch (energy_trend(t)) {
    case Trend::steady: text += kept ? "; no drift." : ". The step is probably too large."; break;
    case Trend::drifting:
      text += fmt::format("; it drifts by {} per unit of time.", size_text(e.drift_per_time));
      break;
    case Trend::exploding: text += "; most of it at the end of the run."; break;
  }
  return text;
}

// The first few events of unilateral constraints.
std::string contact_sentences(const Model& model, const Trajectory& t) {
  std::string text;
  for (std::size_t i = 0; i < std::min(t.contacts.size(), kShownNames); ++i) {
    const Contact& c = t.contacts[i];
    const std::string name = model.constraint_names[c.constraint];
    switch (c.what) {
      case Contact::What::lift_off:
        text += sentence(fmt::format("Lifts off '{}' at t = {}.", name, value_text(c.t)));
        break;
      case Contact::What::impact:
        text += sentence(
            fmt::format("Bounces off '{}' at t = {}, met with {}.", name, value_text(c.t), value_text(c.speed)));
        break;
      case Contact::What::rest:
        text += sentence(fmt::format("Comes to '{}' at t = {}, met with {}, and stays.", name, value_text(c.t),
                                     value_text(c.speed)));
        break;
    }
  }
  if (t.contacts.size() > kShownNames)
    text += sentence(fmt::format("... and {} more (--json gives all).", t.contacts.size() - kShownNames));
  return text;
}

// A residual that is more than rounding is not called kept.
constexpr double kStillKept = 1e-8;
std::string kept(double residual) {
  return fmt::format("{} {}", residual <= kStillKept ? "kept to" : "off by up to", size_text(residual));
}

std::string power_sentences(const PowerBalance& b) {
  const double relative = b.largest_energy > 0.0 ? b.max_residual / b.largest_energy : 0.0;
  std::string text = sentence(fmt::format(
      "Power balance: stored {}, supplied {}, dissipated {}; in each step it closes to {} (relative to the largest "
      "energy: {}).",
      value_text(b.stored), value_text(b.supplied), value_text(b.dissipated), size_text(b.max_residual),
      size_text(relative)));
  for (const PowerBalance::Part& p : b.parts)
    text += sentence(fmt::format("Part '{}': stored {}, supplied {}, received {}, dissipated {}; closes to {}.", p.name,
                                 value_text(p.stored), value_text(p.supplied), value_text(p.received),
                                 value_text(p.dissipated), size_text(p.max_residual)));
  if (!b.parts.empty())
    text += sentence(
        fmt::format("What the parts received from each other adds up to {}.", size_text(b.connection_residual)));
  return text;
}

std::string constraint_sentences(const Model& model, const Trajectory& t) {
  if (model.has_states()) return "";
  if (model.kind == Kind::dae)
    return sentence(fmt::format("Constraints: {}.", kept(t.constraint_position.value_or(0))));
  if (model.kind == Kind::odae) {
    const double position = t.constraint_position.value_or(0), velocity = t.constraint_velocity.value_or(0);
    std::string text = sentence(
        fmt::format("Constraints: position level {}, velocity level {}.", kept(position),
                    position <= kStillKept && velocity <= kStillKept ? "to " + size_text(velocity) : kept(velocity)));
    return text + contact_sentences(model, t);
  }
  const auto plural = [](std::int32_t n) { return n == 1 ? "constraint" : "constraints"; };
  const std::int32_t holonomic = model.holonomic_names.size(), all = holonomic + model.nonholonomic_names.size();
  if (all == 0) return sentence("Constraints: there are none.");
  std::string text;
  if (t.constraint_position && holonomic > 0)
    text += sentence(fmt::format("Position {}: {}{}.", plural(holonomic), kept(*t.constraint_position),
                                 t.formulation == "index2" ? "; index2 imposes the velocity level only" : ""));
  else
    text += sentence("Position level: not constrained.");
  if (t.constraint_velocity)
    text += sentence(fmt::format("Velocity {}: {}.", plural(all), kept(*t.constraint_velocity)));
  if (t.constraint_midpoint)
    text +=
        sentence(fmt::format("At the midpoints, where this method imposes them: {}.", kept(*t.constraint_midpoint)));
  return text;
}

// What it took to compile the step, or to load it, where that is a good part of the time.
std::string time_taken(const Trajectory& t) {
  std::string text = "in " + duration_text(t.wall_seconds);
  if (t.compile_seconds > 0.1 * t.wall_seconds)
    text += fmt::format(", {} of it for compiling", duration_text(t.compile_seconds));
  return text;
}

std::string adaptive_steps(const Trajectory& t) {
  if (t.steps == 0) return ": no steps, " + time_taken(t);
  return fmt::format(": {} from {:.3g} to {:.3g}, to t = {:.10g}, {}", count_text(t.adaptive->steps, "step"),
                     t.adaptive->smallest, t.adaptive->largest, t.t, time_taken(t));
}

// What chose the steps, and what that means for a long run.
std::string controller_sentence(const AdaptiveAudit& a, bool exact_energy) {
  std::string text = fmt::format("Steps: chosen by the {} controller, tolerance {}; {} rejected. ", a.controller,
                                 size_text(a.tolerance), a.rejected);
  if (a.controller == "reversible")
    return text + "It is symmetric in time: a symmetric method keeps its long-time behaviour.";
  return text + "It holds the error of each step, not the long-time behaviour: " +
         (exact_energy ? "the method keeps the energy, other invariants may drift." : "the energy may drift.");
}

// The first few events, and the expressions that had none.
std::string event_table(const Model& model, const Trajectory& t) {
  constexpr std::size_t kShown = 10;
  if (t.events.empty() && (t.watched.empty() || t.steps == 0)) return {};
  std::string text = "\nEvents\n";
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < std::min(t.events.size(), kShown); ++i) {
    const EventFound& e = t.events[i];
    rows.push_back({e.event, e.direction > 0 ? "up" : "down", fmt::format("t = {:.12g}", e.t)});
    for (std::size_t k = 0; k < std::min<std::size_t>(e.q.size(), 3); ++k)
      rows.back().push_back(fmt::format("{} = {:.6g}", model.coordinates[static_cast<std::int32_t>(k)], e.q[k]));
  }
  text += align(rows, 2);
  if (t.events.size() > kShown) text += fmt::format("  ... and {} more (--json gives all)\n", t.events.size() - kShown);
  for (const std::string& expression : t.watched)
    if (std::ranges::find(t.events, expression, &EventFound::event) == t.events.end())
      text += sentence(fmt::format("No crossing of {} up to t = {:.10g}.", expression, t.t));
  return text;
}

// What one step cost, on average and at most.
std::string newton_sentence(const Trajectory& t) {
  std::string text =
      fmt::format("Newton: {} in all, {:.1f} per step, at most {}", count_text(t.newton_iterations, "iteration"),
                  static_cast<double>(t.newton_iterations) / static_cast<double>(t.steps), t.newton_max_per_step);
  if (t.adaptive && t.adaptive->controller == "pi") text += ", with rejected tries and error estimates";
  return text + '.';
}

// Accelerations and multipliers are not part of the state: they are as good as the equations that give them.
std::string equations_sentence(const EquationsAudit& e) {
  return fmt::format("Equations of motion: {} {} by accelerations and multipliers; condition {:.1e}.",
                     e.residual <= EquationsAudit::kLargestResidual ? "satisfied to" : "off by up to",
                     size_text(e.residual), e.condition);
}

// What a run that took no step has instead of an audit.
std::string nothing_sentence(const Trajectory& t) {
  if (t.status == Status::cancelled) return "Cancelled before the first step: nothing was integrated.";
  return t.status == Status::stopped ? "Stopped in the first step: nothing was integrated. The message says why."
                                     : "Nothing was integrated: no steps were asked for.";
}

std::string audit_sentences(const Model& model, const Trajectory& t) {
  std::string text = "\nWhat was kept";
  if (t.every > 1) text += fmt::format(" (looking at every {}th step)", t.every);
  text += '\n';
  if (t.energy) text += sentence(energy_sentence(model, t));
  if (t.power_balance) text += power_sentences(*t.power_balance);
  text += constraint_sentences(model, t);
  if (t.redundant && t.redundant->rank < t.redundant->rows)
    text += sentence(fmt::format(
        "Constraints: rank {} of {} at the end; integrated without {}{}.", t.redundant->rank, t.redundant->rows,
        listed(t.redundant->dropped),
        t.redundant->changes.empty()
            ? ""
            : fmt::format(", after {}", count_text(static_cast<std::int64_t>(t.redundant->changes.size()), "change"))));
  if (t.equations) text += sentence(equations_sentence(*t.equations));
  if (t.error) text += sentence(fmt::format("Error at the end against the exact solution: {}.", size_text(*t.error)));
  if (t.reverse_defect)
    text += sentence(fmt::format("Integrated back: {} {} (relative).",
                                 *t.reverse_defect <= 1e-6 ? "returns to the start up to" : "misses the start by",
                                 size_text(*t.reverse_defect)));
  if (t.observed_order)
    text += sentence(fmt::format("Observed order, from repeating with h/2 and h/4: {:.2f}.", *t.observed_order));
  if (t.adaptive) text += sentence(controller_sentence(*t.adaptive, keeps_energy(t.method)));
  if (t.newton_iterations > 0 && !is_adaptive(t.method)) text += sentence(newton_sentence(t));
  return text;
}

// Wrapped sentences, each again in one line.
std::vector<std::string> unwrapped(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    if (line.starts_with("    ") && !lines.empty())
      lines.back() += line.substr(3);
    else if (line.starts_with("  "))
      lines.push_back(line.substr(2));
    begin = end + 1;
  }
  return lines;
}

std::string method_line(const Trajectory& t) {
  const bool adaptive = is_adaptive(t.method);
  std::string text = t.method;
  if (t.order > 0) text += fmt::format(", {}, order {}", count_text(t.stages, "stage"), orders_text(t.orders));
  if (t.adaptive) return text + adaptive_steps(t);
  return text + fmt::format(": {} of {:g} to t = {:.10g}, {}",
                            adaptive ? count_text(t.steps, "output interval") : count_text(t.steps, "step"), t.step,
                            t.t, time_taken(t));
}

// One paragraph per reason, with all methods that share it.
std::string method_paragraphs(const char* heading, const std::vector<MethodCheck>& methods, bool applies) {
  std::vector<std::pair<std::string, std::string>> groups;  // reason, names
  for (const MethodCheck& m : methods) {
    if (m.applies != applies) continue;
    const auto group = std::ranges::find(groups, m.reason, &std::pair<std::string, std::string>::first);
    if (group == groups.end())
      groups.emplace_back(m.reason, m.name);
    else
      group->second += ", " + m.name;
  }
  if (groups.empty()) return {};
  std::string text = fmt::format("\n{}\n", heading);
  for (const auto& [reason, names] : groups)
    text += sentence(reason.empty() ? names : fmt::format("{}: {}", names, reason));
  return text;
}

// Why the rank is less than the number of constraints.
std::string rank_text(const CheckReport& r) {
  std::string text;
  if (!r.vanishing.empty()) text += "; gradient zero: " + listed(r.vanishing);
  if (!r.not_finite.empty()) text += "; gradient not finite: " + listed(r.not_finite);
  if (!r.redundant.empty()) text += "; depends on the others: " + listed(r.redundant);
  return text;
}

std::string method_sections(const CheckReport& r) {
  const bool any = std::ranges::any_of(r.methods, &MethodCheck::applies);
  if (!any && !r.obstacle.empty()) return "\nNo method applies\n" + sentence("Each " + r.obstacle + ".");
  return method_paragraphs("Methods that apply", r.methods, true) +
         method_paragraphs(any ? "Methods that do not apply" : "No method applies", r.methods, false);
}

// The matrices, entry by entry.
std::string port_hamiltonian_table(const CheckReport& r) {
  constexpr std::size_t kLongest = 100;
  if (r.port_hamiltonian.empty()) return {};
  std::string text = "\nPort-Hamiltonian form: E x' + r = (J - R) z + (B - P) u\n";
  std::vector<std::vector<std::string>> rows;
  for (const CheckReport::MatrixText& m : r.port_hamiltonian)
    for (const auto& [place, value] : m.entries)
      rows.push_back({&place == &m.entries.front().first ? m.name : "", place, "=",
                      value.size() > kLongest ? value.substr(0, kLongest) + " ... (--json gives all)" : value});
  return text + align(rows, 2);
}

std::string yes(bool value) { return value ? "yes" : "no"; }

std::string slope_text(double value) { return std::isfinite(value) ? fmt::format("{:.2f}", value) : "-"; }

}  // namespace

std::string to_text(const Model& model, const Trajectory& t) {
  std::string text = fmt::format("{} ({})\n", model.name, model.key) + wrap(method_line(t), "", "  ");
  if (t.steps == 0)
    text += '\n' + nothing_sentence(t) + '\n';
  else if (t.status == Status::cancelled)
    text += fmt::format("\nCancelled after {}: this is what there was by then.\n", count_text(t.steps, "step"));
  else if (t.status == Status::stopped)
    text += fmt::format("\nStopped early, after {}. The message says why.\n", count_text(t.steps, "step"));

  text += fmt::format("\nState at t = {:.10g}\n", t.t) + state_table(model, t.q, t.v, t.multipliers);
  text += event_table(model, t);
  if (t.steps > 0) text += audit_sentences(model, t);
  if (!t.notes.empty()) {
    text += "\nNotes\n";
    for (const std::string& note : t.notes) text += wrap(note, "  - ", "    ");
  }
  return text;
}

std::vector<std::string> report::audit_statements(const Model& model, const Trajectory& t) {
  if (t.steps == 0) return {nothing_sentence(t)};
  return unwrapped(audit_sentences(model, t));
}

std::string to_text(const Model& model, const CheckReport& r) {
  const bool mechanical = model.kind == Kind::mechanical;
  std::string text = fmt::format("{} ({}), {}\n\n", model.name, model.key, to_string(model.kind));
  std::vector<std::vector<std::string>> facts = {
      {mechanical                 ? "coordinates"
       : model.kind == Kind::odae ? "positions"
                                  : "states",
       fmt::format("{} ({})", r.coordinates, listed(model.coordinates.all()))},
      {"degrees of freedom", fmt::format("{}", r.degrees_of_freedom)},
      {"index", fmt::format("{}", r.index)},
      {"constraints", fmt::format("{}, of rank {} at the start{}", model.multiplier_count(), r.rank, rank_text(r))}};
  if (model.has_states()) {  // it has no constraints of its own, but some of its equations may have no derivatives
    facts.pop_back();
    if (!r.constraints.empty())
      facts.push_back({"algebraic equations", fmt::format("{}; with hidden ones they determine {} of the states",
                                                          r.constraints.size(), r.rank)});
  }
  if (mechanical)
    facts.push_back(
        {"mass matrix",
         fmt::format("{}, {}; with the constraints {}", r.mass_constant ? "constant" : "depends on the state",
                     r.mass_positive_definite ? "positive definite" : "not positive definite",
                     r.saddle_regular ? "regular" : "singular")});
  if (model.kind == Kind::odae) {
    facts.push_back(
        {"velocities", fmt::format("{} ({})", model.odae.velocities.size(), listed(model.odae.velocities.all()))});
    facts.push_back({"g_y v_z r_psi", r.saddle_regular ? "regular at the start" : "singular at the start"});
  }
  facts.push_back({"start", r.consistent            ? "consistent"
                            : !r.not_finite.empty() ? "not decided: a constraint has no finite gradient there"
                                                    : "not consistent with the constraints"});
  facts.push_back({"derivatives",
                   r.derivatives_undetermined
                       ? "not compared: finite differences do not settle at the start"
                       : fmt::format("{} finite differences (relative {})",
                                     r.derivatives_ok ? "agree with" : "DIFFER from", size_text(r.derivative_error))});
  text += align(facts, 2);

  if (!r.constraints.empty()) {
    text += "\nConstraints\n";
    std::vector<std::vector<std::string>> rows = {{"name", "level", "residual at start"}};
    const bool rates = mechanical && std::ranges::any_of(r.constraints, &ConstraintCheck::holonomic);
    if (rates) rows[0].emplace_back("of its velocity");
    if (mechanical) rows[0].insert(rows[0].end(), {"linear in v", "integrable"});
    if (model.kind == Kind::odae) rows[0].insert(rows[0].end(), {"of its velocity", "unilateral", "acts"});
    for (std::size_t i = 0; i < std::min(r.constraints.size(), kShownCoordinates); ++i) {
      const ConstraintCheck& c = r.constraints[i];
      rows.push_back({c.name, c.holonomic || !mechanical ? "position" : "velocity", size_text(c.start_residual)});
      if (rates) rows.back().push_back(c.holonomic ? size_text(c.start_residual_velocity) : "");
      if (mechanical) rows.back().insert(rows.back().end(), {yes(c.linear), yes(c.holonomic || c.integrable)});
      if (model.kind == Kind::odae)
        rows.back().insert(rows.back().end(), {size_text(c.start_residual_velocity), yes(c.unilateral), yes(c.acts)});
    }
    text += align(rows, 2);
    if (r.constraints.size() > kShownCoordinates)
      text += fmt::format("  ... and {} more (--json gives all)\n", r.constraints.size() - kShownCoordinates);
    const auto velocity = std::ranges::count_if(r.constraints, [](const ConstraintCheck& c) { return !c.holonomic; });
    if (mechanical && velocity > 0)
      text +=
          sentence(r.integrable_together
                       ? "Together the velocity constraints are integrable: they could be written at position level."
                       : "Together the velocity constraints are not integrable: the system is nonholonomic.");
  }
  if (!r.consistent && !r.nearest_q.empty())
    text +=
        "\nNearest consistent start (run --project moves there)\n" + state_table(model, r.nearest_q, r.nearest_v, {});
  if (!r.multipliers.empty()) text += "\nMultipliers at the start\n" + state_table(model, {}, {}, r.multipliers);

  text += method_sections(r);
  text += port_hamiltonian_table(r);
  if (!r.notes.empty()) {
    text += "\nNotes\n";
    for (const std::string& note : r.notes) text += wrap(note, "  - ", "    ");
  }
  return text;
}

std::string to_text(const OrderReport& r) {
  // One column per method, in the order of the runs; tables side by side as far as the width allows.
  struct Column {
    std::string label;
    std::vector<double> errors;
    double seconds = 0.0;
  };
  std::vector<Column> columns;
  std::vector<double> steps;
  for (const OrderRun& run : r.runs)
    if (std::ranges::find(steps, run.step) == steps.end()) steps.push_back(run.step);
  for (const OrderRun& run : r.runs) {
    const std::string label = fmt::format("{}({})", run.method, run.stages);
    auto column = std::ranges::find(columns, label, &Column::label);
    if (column == columns.end())
      column = columns.insert(columns.end(), {label, std::vector<double>(steps.size(), std::nan("")), 0.0});
    const auto row = static_cast<std::size_t>(std::ranges::find(steps, run.step) - steps.begin());
    column->errors[row] = run.error;
    column->seconds += run.seconds;
  }

  const std::vector<std::pair<std::string, double OrderSlope::*>> slopes = {
      {"slope, fitted", &OrderSlope::fitted},
      {"slope, last two steps", &OrderSlope::last},
      {"  of positions", &OrderSlope::fitted_q},
      {"  of velocities", &OrderSlope::fitted_v},
      {"  of multipliers", &OrderSlope::fitted_multipliers}};
  std::string text = wrap(fmt::format("Error at the end; reference: {}", r.reference), "", "  ");
  for (std::size_t begin = 0; begin < columns.size();) {
    std::size_t end = begin, width = 24;
    while (end < columns.size() && (end == begin || width + columns[end].label.size() + 2 <= kTextWidth))
      width += columns[end++].label.size() + 2;
    std::vector<std::vector<std::string>> rows = {{"step"}};
    for (std::size_t i = begin; i < end; ++i) rows[0].push_back(columns[i].label);
    for (std::size_t k = 0; k < steps.size(); ++k) {
      rows.push_back({fmt::format("{}", steps[k])});
      for (std::size_t i = begin; i < end; ++i)
        rows.back().push_back(std::isfinite(columns[i].errors[k]) ? fmt::format("{:.3e}", columns[i].errors[k]) : "-");
    }
    for (const auto& [name, value] : slopes) {
      std::vector<std::string> row = {name};
      bool any = false;
      for (std::size_t i = begin; i < end; ++i) {
        const std::string& label = columns[i].label;  // a method with a fixed number of stages has a bare name there
        const auto slope = std::ranges::find_if(r.slopes, [&](const OrderSlope& s) {
          return s.label == label || s.label == label.substr(0, label.find('('));
        });
        row.push_back(slope == r.slopes.end() ? "-" : slope_text((*slope).*value));
        any = any || row.back() != "-";
      }
      if (any) rows.push_back(std::move(row));
    }
    rows.push_back({"time, all steps"});
    for (std::size_t i = begin; i < end; ++i) rows.back().push_back(duration_text(columns[i].seconds));
    std::vector<bool> right(end - begin + 1, true);
    right[0] = false;
    text += '\n' + align(rows, 2, right);
    begin = end;
  }
  return text;
}

}  // namespace rattleback
