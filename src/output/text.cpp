// Reports for people: what was computed, what was kept and how well, in sentences with their numbers.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/kind_facts.hpp"
#include "output/check_sections.hpp"
#include "output/layout.hpp"
#include "output/lists.hpp"
#include "rattleback/audit.hpp"
#include "rattleback/write.hpp"
#include "text/quantities.hpp"

namespace rattleback {
namespace {

using namespace report;

constexpr std::size_t kShownCoordinates = 16;
std::string sentence(const std::string& text) { return wrap(text, "  ", "    "); }

// Coordinates with their velocities, then multipliers; of large systems the first ones.
std::string state_table(const Model& model, const std::vector<double>& q, const std::vector<double>& v,
                        const std::vector<double>& multipliers) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < std::min(q.size(), kShownCoordinates); ++i) {
    const std::string name = model.coordinates[static_cast<std::int32_t>(i)];
    rows.push_back({name, "=", value_text(q[i])});
  }
  for (std::size_t i = 0; i < std::min(v.size(), kShownCoordinates); ++i) {  // there may be more or fewer
    if (i >= rows.size()) rows.push_back({"", "", ""});
    rows[i].insert(rows[i].end(), {"  " + velocity_name(model, static_cast<std::int32_t>(i)), "=", value_text(v[i])});
  }
  std::string text = align(rows, 2, {false, false, true, false, false, true});
  if (q.size() > kShownCoordinates)
    text += fmt::format("  ... and {} more (--json and --output give all)\n", q.size() - kShownCoordinates);

  rows.clear();
  for (std::size_t i = 0; i < std::min(multipliers.size(), kShownNames); ++i) {
    const std::string name = model.multiplier_name(static_cast<std::int32_t>(i));
    rows.push_back({facts_of(model).primed ? fmt::format("lambda({})", name) : name, "=", value_text(multipliers[i])});
  }
  text += align(rows, 2, {false, false, true});
  if (multipliers.size() > kShownNames) text += fmt::format("  ... and {} more\n", multipliers.size() - kShownNames);
  return text;
}

// Numbers that the model or --output-columns asks for.
std::string output_table(const Trajectory& t) {
  if (t.quantities.size() <= t.drawn_quantities) return {};
  const std::size_t count = t.quantities.size() - t.drawn_quantities;
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < std::min(count, kShownNames); ++i)
    rows.push_back({t.quantity_names[i], "=", value_text(t.quantities[i])});
  std::string text = fmt::format("\nOutputs at t = {:.10g}\n", t.t) + align(rows, 2, {false, false, true});
  if (count > kShownNames) text += fmt::format("  ... and {} more\n", count - kShownNames);
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

// The first few events, and the expressions that had none.
std::string event_table(const Model& model, const Trajectory& t) {
  constexpr std::size_t kShown = 10;
  if (t.events.empty() && (t.watched.empty() || t.steps == 0)) return {};
  std::string text = "\nEvents\n";
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < std::min(t.events.size(), kShown); ++i) {
    const EventFound& e = t.events[i];
    rows.push_back({e.event, std::string(passage(e)), fmt::format("t = {:.12g}", e.t)});
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

std::string audit_section(const Model& model, const Trajectory& t) {
  std::string text = "\nWhat was kept";
  if (t.every > 1) text += fmt::format(" (looking at every {}th step)", t.every);
  text += '\n';
  for (const Statement& statement : audit_statements(model, t)) text += sentence(statement.text);
  return text;
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

std::string method_sections(const CheckReport& r) {
  const bool any = std::ranges::any_of(r.methods, &MethodCheck::applies);
  if (!any && !r.obstacle.empty()) return "\nNo method applies\n" + sentence("Each " + r.obstacle + ".");
  return method_paragraphs("Methods that apply", r.methods, true) +
         method_paragraphs(any ? "Methods that do not apply" : "No method applies", r.methods, false);
}

std::string yes(bool value) { return value ? "yes" : "no"; }

}  // namespace

std::string to_text(const Model& model, const Trajectory& t) {
  std::string text = fmt::format("{} ({})\n", model.name, model.key) + wrap(method_line(t), "", "  ");
  if (t.steps == 0)
    text += '\n' + audit_statements(model, t).front().text + '\n';
  else if (t.status == Status::cancelled)
    text += fmt::format("\nCancelled after {}: this is what there was by then.\n", count_text(t.steps, "step"));
  else if (t.status == Status::stopped)
    text += fmt::format("\nStopped early, after {}. The message says why.\n", count_text(t.steps, "step"));

  if (!t.stopped_by.empty()) text += fmt::format("\nEnded by event {} at t = {:.12g}.\n", t.stopped_by, t.t);

  text += fmt::format("\nState at t = {:.10g}\n", t.t) + state_table(model, t.q, t.v, t.multipliers);
  text += output_table(t);
  text += event_table(model, t);
  if (t.steps > 0) text += audit_section(model, t);
  if (!t.notes.empty()) {
    text += "\nNotes\n";
    for (const std::string& note : t.notes) text += wrap(note, "  - ", "    ");
  }
  return text;
}

std::string to_text(const Model& model, const CheckReport& r) {
  const KindFacts& of_kind = facts_of(model);
  const bool mechanical = of_kind.lagrangian;
  std::string text = fmt::format("{} ({}), {}\n", model.name, model.key, to_string(model.kind));
  if (!r.latex.empty()) return r.latex;
  if (!r.port_hamiltonian.empty()) return text + port_hamiltonian_table(r);
  if (!r.reduced.empty()) return text + reduced_table(r);
  text += '\n';
  const std::vector<Statement> statements = audit_statements(model, r);
  std::vector<std::vector<std::string>> facts;
  for (const Statement& s : statements)
    if (s.quantity != kIntegrability) facts.push_back({s.quantity, s.text});
  text += align(facts, 2);

  if (!r.constraints.empty()) {
    text += "\nConstraints\n";
    std::vector<std::vector<std::string>> rows = {{"name", "level", "residual at start"}};
    const bool rates = mechanical && std::ranges::any_of(r.constraints, &ConstraintCheck::holonomic);
    if (rates) rows[0].emplace_back("of its velocity");
    if (mechanical) rows[0].insert(rows[0].end(), {"linear in v", "integrable"});
    if (of_kind.unilateral) rows[0].insert(rows[0].end(), {"of its velocity", "unilateral", "acts"});
    for (std::size_t i = 0; i < std::min(r.constraints.size(), kShownCoordinates); ++i) {
      const ConstraintCheck& c = r.constraints[i];
      rows.push_back({c.name, c.holonomic || !mechanical ? "position" : "velocity", size_text(c.start_residual)});
      if (rates) rows.back().push_back(c.holonomic ? size_text(c.start_residual_velocity) : "");
      if (mechanical) rows.back().insert(rows.back().end(), {yes(c.linear), yes(c.holonomic || c.integrable)});
      if (of_kind.unilateral)
        rows.back().insert(rows.back().end(), {size_text(c.start_residual_velocity), yes(c.unilateral), yes(c.acts)});
    }
    text += align(rows, 2);
    if (r.constraints.size() > kShownCoordinates)
      text += fmt::format("  ... and {} more (--json gives all)\n", r.constraints.size() - kShownCoordinates);
    if (statements.back().quantity == kIntegrability) text += sentence(statements.back().text);
  }
  if (!r.consistent && !r.nearest_q.empty())
    text +=
        "\nNearest consistent start (run --project moves there)\n" + state_table(model, r.nearest_q, r.nearest_v, {});
  if (!r.multipliers.empty()) text += "\nMultipliers at the start\n" + state_table(model, {}, {}, r.multipliers);

  text += symmetry_section(r);
  text += method_sections(r);
  if (!r.notes.empty()) {
    text += "\nNotes\n";
    for (const std::string& note : r.notes) text += wrap(note, "  - ", "    ");
  }
  return text;
}

}  // namespace rattleback
