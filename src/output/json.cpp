// The keys are a contract with users' scripts. A key that does not apply to the kind of system is absent; what goes
// beyond the contract (records, notes, ...) has keys of its own.
#include "output/json.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "files/harmless.hpp"
#include "model/kind_facts.hpp"
#include "model/units.hpp"
#include "option/run_table.hpp"
#include "output/columns.hpp"
#include "output/lists.hpp"
#include "output/state.hpp"
#include "rattleback/audit.hpp"
#include "rattleback/write.hpp"
#include "run/memory.hpp"

namespace rattleback {
namespace report {
namespace {

// {"x": 0.1, ...}. Built without the search for equal keys that [] does: names are unique, and there may be 10^5.
template <class Name>
Json by_name(std::size_t size, const Name& name, const std::vector<double>& values) {
  Json json = Json::object();
  auto& object = json.get_ref<Json::object_t&>();
  object.reserve(size);
  for (std::size_t i = 0; i < std::min(size, values.size()); ++i)
    object.emplace_back(name(static_cast<std::int32_t>(i)), values[i]);
  return json;
}

Json by_name(const Names& names, const std::vector<double>& values) {
  return by_name(
      static_cast<std::size_t>(names.size()), [&](std::int32_t i) { return names[i]; }, values);
}

Json multipliers_by_name(const Model& model, const std::vector<double>& values) {
  return by_name(
      static_cast<std::size_t>(model.multiplier_count()), [&](std::int32_t i) { return model.multiplier_name(i); },
      values);
}

// What unilateral constraints are at the end. An odae has one direction of sliding at most, and it is its own.
Json contacts_json(const Model& model, const Trajectory& trajectory) {
  Json json = Json::object();
  for (const std::int32_t constraint : model.odae.unilateral) {
    const double normal = trajectory.multipliers[static_cast<std::size_t>(constraint)];
    bool closed = normal > 0.0;
    std::int64_t impacts = 0;
    for (const Contact& c : trajectory.contacts) {
      if (c.constraint != constraint) continue;
      closed = c.what == Contact::What::rest;
      impacts += c.what == Contact::What::impact ? 1 : 0;
    }
    json[model.constraint_names[constraint]] = {
        {"closed", closed}, {"sticks", Json()}, {"normal", normal}, {"friction", Json()}, {"impacts", impacts}};
  }
  return json;
}

Json contact_json(const Model& model, const Contact& c) {
  const char* what = c.what == Contact::What::lift_off ? "lift-off"
                     : c.what == Contact::What::impact ? "impact"
                                                       : "landing";
  Json one = {{"name", model.constraint_names[c.constraint]}, {"what", what}, {"t", c.t}};
  if (c.what != Contact::What::lift_off) one["speed"] = c.speed;
  return one;
}

Json constraints_json(const Model& model, const Trajectory& trajectory) {
  Json json;
  json["position"] = trajectory.constraint_position.value_or(0.0);
  if (facts_of(model).velocities) json["velocity"] = trajectory.constraint_velocity.value_or(0.0);
  if (trajectory.constraint_midpoint) json["velocity_midpoint"] = *trajectory.constraint_midpoint;
  return json;
}

Json power_json(const PowerBalance& b) {
  Json json = {{"max_residual", b.max_residual},
               {"relative", b.largest_energy > 0.0 ? b.max_residual / b.largest_energy : 0.0},
               {"stored", b.stored},
               {"supplied", b.supplied},
               {"dissipated", b.dissipated}};
  if (b.parts.empty()) return json;
  for (const PowerBalance::Part& p : b.parts)
    json["parts"][p.name] = {{"max_residual", p.max_residual},
                             {"stored", p.stored},
                             {"supplied", p.supplied},
                             {"dissipated", p.dissipated},
                             {"received", p.received}};
  json["connection_residual"] = b.connection_residual;
  return json;
}

Json event_json(const Model& model, const EventFound& e) {
  Json one = {{"name", e.event},
              {"what", e.direction == 0 ? "touch" : "event"},
              {"event", e.event},
              {"t", e.t},
              {"direction", e.direction == 0 ? "none" : passage(e)}};
  one["state"] = state_by_name(model, e.q, e.v);
  if (!e.after_q.empty()) one["after"] = state_by_name(model, e.after_q, e.after_v);
  one[facts_of(model).record_key] = by_name(model.coordinates, e.q);
  if (facts_of(model).primed) one["v"] = by_name(model.coordinates, e.v);
  return one;
}

// In the order of time, which both lists have: a system with contacts goes forward.
Json events_json(const Model& model, const Trajectory& trajectory) {
  Json list = Json::array();
  std::size_t next = 0;
  for (const EventFound& e : trajectory.events) {
    for (; next < trajectory.contacts.size() && trajectory.contacts[next].t <= e.t; ++next)
      list.push_back(contact_json(model, trajectory.contacts[next]));
    list.push_back(event_json(model, e));
  }
  for (; next < trajectory.contacts.size(); ++next) list.push_back(contact_json(model, trajectory.contacts[next]));
  return list;
}

Json claim_json(Claim claim) { return claim == Claim::conditional ? Json("conditional") : Json(claim == Claim::yes); }

Json method_json(const MethodInfo& info) {
  Json json;
  json["name"] = info.name;
  if (!info.aliases.empty()) json["aliases"] = info.aliases;
  json["kinds"] = Json::array();
  for (const Kind kind : kAllKinds)
    if (info.kinds.has(kind)) json["kinds"].push_back(to_string(kind));
  const int first = info.fixed_stages != 0 ? info.fixed_stages : info.min_stages;
  const int last = info.fixed_stages != 0 ? info.fixed_stages : std::max(6, info.min_stages);
  if (!info.adaptive) {
    json["stages"]["min"] = first;
    if (info.fixed_stages != 0) json["stages"]["max"] = info.fixed_stages;
    json["stages"]["default"] = info.default_stages;
  }
  json["order"] = info.order_text;
  if (info.order != nullptr)
    for (int s = first; s <= last; ++s) json["order_of_stages"][std::to_string(s)] = info.order(s);
  json["between_steps"]["by"] = info.dense;
  json["between_steps"]["order"] = info.dense_order_text.empty() ? info.order_text : info.dense_order_text;
  for (const OrderLine& line : order_lines(info)) {
    const KindFacts& facts = facts_of(line.kind);
    Json one = {{"kind", to_string(line.kind)}, {"constraints", line.constraints}, {facts.state_key, line.q}};
    if (facts.primed) one["v"] = line.v;
    for (int s = first; s <= last; ++s) {
      const ComponentOrders orders = info.orders_on(line.on, s);
      Json& of = one["of_stages"][std::to_string(s)] = {{facts.state_key, orders.q}};
      if (facts.primed) of["v"] = orders.v;
    }
    json["orders"].push_back(std::move(one));
  }
  json["adaptive"] = info.adaptive;
  json["symmetric"] = claim_json(info.symmetric);
  json["energy"] = claim_json(info.energy);
  json["constraints"] = info.constraints;
  json["source"] = info.source;
  json["references"] = info.references;
  if (!info.note.empty()) json["note"] = info.note;
  return json;
}

Json audit_json(const std::vector<Statement>& statements) {
  Json list = Json::array();
  for (const Statement& s : statements) {
    Json one = {{"verdict", to_string(s.verdict)}, {"quantity", s.quantity}};
    if (s.number) one["number"] = *s.number;
    one["text"] = s.text;
    list.push_back(std::move(one));
  }
  return list;
}

// Constraints that were left out because they follow from the others.
Json redundant_json(const RedundantAudit& r) {
  Json json = {{"rank", r.rank}, {"rows", r.rows}, {"dropped", r.dropped}, {"changes", Json::array()}};
  for (const RedundantAudit::Change& c : r.changes) json["changes"].push_back({{"t", c.t}, {"dropped", c.dropped}});
  for (const RedundantAudit::Loss& l : r.losses) json["rank_lost"].push_back({{"t", l.t}, {"rank", l.rank}});
  if (r.unclear)
    json["unclear"] = {{"t", r.unclear->t}, {"smallest", r.unclear->smallest}, {"remainder", r.unclear->remainder}};
  return json;
}

Json orders_json(const Model& model, const ComponentOrders& orders) {
  const KindFacts& facts = facts_of(model);
  Json json = {{facts.state_key, orders.q}};
  if (facts.primed) json["v"] = orders.v;
  const bool algebraic = facts.algebraic_states || model.multiplier_count() > 0;
  if (algebraic && orders.multipliers > 0) json[facts.multiplier_key] = orders.multipliers;
  return json;
}

Json parameters_json(const Model& model) {
  Json json = Json::object();
  for (const auto& [name, value] : model.parameters) json.get_ref<Json::object_t&>().emplace_back(name, value);
  return json;
}

void put_form(Json& json, const char* key, const std::vector<CheckReport::MatrixText>& form) {
  for (const CheckReport::MatrixText& m : form)
    for (const auto& [place, text] : m.entries) {
      if (place.empty())
        json[key][m.name] = text;
      else
        json[key][m.name][place] = text;
    }
}

void put_symmetries(Json& json, const CheckReport& r) {
  for (const SymmetryCheck& s : r.symmetries)
    json["symmetries"][s.name] = {
        {"of_lagrangian", s.of_lagrangian}, {"of_constraints", s.of_constraints}, {"conserved", s.conserved}};
  json["found_symmetries"] = Json::array();
  for (const FoundSymmetry& s : r.found_symmetries) {
    Json field = Json::object();
    for (const auto& [coordinate, expression] : s.field) field[coordinate] = expression;
    json["found_symmetries"].push_back({{"field", std::move(field)}, {"conserved", s.conserved}});
  }
}

}  // namespace

std::string dump(const Json& json) {
  return files::harmless_json(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Json run_json(const Model& model, const Trajectory& trajectory, const Options* options) {
  Json json;
  json["system"] = model.key;
  json["kind"] = to_string(model.kind);
  json["method"] = trajectory.method;
  json["stages"] = trajectory.stages;
  if (trajectory.order > 0) json["order"] = trajectory.order;
  if (trajectory.order > 0) json["orders"] = orders_json(model, trajectory.orders);
  if (trajectory.tableau) {
    if (trajectory.tableau->variational) json["variational"] = *trajectory.tableau->variational;
    json["weights_ok"] = trajectory.tableau->weights_ok;
  }
  if (options != nullptr) {
    const Options used = with_run_table(model, *options, Place::run);
    if (used.compose != 0) json["compose"] = used.compose;
    if (facts_of(model).alpha) json["alpha"] = double(used.alpha);
  }
  if (trajectory.formulation != Formulation::none) json["formulation"] = to_string(trajectory.formulation);
  json["step"] = trajectory.step;
  json["steps"] = trajectory.steps;
  json["t"] = trajectory.t;
  put_state(json, model, trajectory.q, trajectory.v);
  if (model.multiplier_count() > 0)
    json[facts_of(model).multiplier_key] = multipliers_by_name(model, trajectory.multipliers);
  if (const std::size_t drawn = trajectory.drawn_quantities; trajectory.quantity_names.size() > drawn) {
    const auto name = [&](std::int32_t i) { return trajectory.quantity_names[static_cast<std::size_t>(i)]; };
    json["outputs"] = by_name(trajectory.quantity_names.size() - drawn, name, trajectory.quantities);
  }
  for (const std::string& name : model.quasi.names)
    if (const auto at = std::ranges::find(trajectory.quantity_names, name); at != trajectory.quantity_names.end())
      json[model.quasi.momenta ? "p" : "quasi"][name] =
          trajectory.quantities[static_cast<std::size_t>(at - trajectory.quantity_names.begin())];
  if (!model.odae.unilateral.empty()) json["contacts"] = contacts_json(model, trajectory);
  if (trajectory.energy)
    json["energy"] = {{"initial", trajectory.energy->initial},
                      {"final", trajectory.energy->final},
                      {"max_error", trajectory.energy->max_error},
                      {"drift_per_time", trajectory.energy->drift_per_time}};
  for (const InvariantAudit& i : trajectory.invariants)
    json["invariants"][i.name] = {
        {"initial", i.initial}, {"final", i.final}, {"max_error", i.max_error}, {"drift_per_time", i.drift_per_time}};
  for (const MomentumAudit& m : trajectory.momenta) {
    Json& one = json["symmetries"][m.name] = {{"initial", m.initial}, {"final", m.final}};
    one["impulse"] = m.impulse ? Json(*m.impulse) : Json();
    one["residual"] = m.residual ? Json(*m.residual) : Json();
  }
  if (trajectory.power_balance) json["power_balance"] = power_json(*trajectory.power_balance);
  if (trajectory.taken_by_events) json["power_balance"]["losses"]["events"] = *trajectory.taken_by_events;
  if (facts_of(model).position_level) json["constraints"] = constraints_json(model, trajectory);
  if (trajectory.redundant) json["redundant"] = redundant_json(*trajectory.redundant);
  if (trajectory.equations)
    json["equations"] = {{"residual", trajectory.equations->residual}, {"condition", trajectory.equations->condition}};
  if (trajectory.adaptive)
    json["adaptive"] = {{"controller", to_string(trajectory.adaptive->controller)},
                        {"tolerance", trajectory.adaptive->tolerance},
                        {"steps", trajectory.adaptive->steps},
                        {"rejected", trajectory.adaptive->rejected},
                        {"smallest", trajectory.adaptive->smallest},
                        {"largest", trajectory.adaptive->largest}};
  const std::size_t of_event = trajectory.events.empty() ? 0 : 4 + trajectory.q.size() + trajectory.v.size();
  const bool events_fit = json_fits(trajectory.events.size() * of_event + 4 * trajectory.contacts.size());
  if (!trajectory.watched.empty() || !trajectory.events.empty() || !model.odae.unilateral.empty())
    json["events"] = events_fit ? events_json(model, trajectory) : Json::array();
  if (!trajectory.stopped_by.empty()) json["stopped_by"] = trajectory.stopped_by;
  if (trajectory.error) json["error"] = *trajectory.error;
  if (trajectory.reverse_defect) json["reversibility"]["defect"] = *trajectory.reverse_defect;
  if (trajectory.observed_order) json["observed_order"] = *trajectory.observed_order;
  if (!is_adaptive(trajectory.method))
    json["newton"] = {{"iterations", trajectory.newton_iterations}, {"max_per_step", trajectory.newton_max_per_step}};
  json["records"] = {{"every", trajectory.every}, {"rows", trajectory.records.rows}};
  if (trajectory.output_every != 0.0)
    json["records"] = {{"output_every", trajectory.output_every}, {"rows", trajectory.records.rows}};
  if (has_units(model))
    for (const Block& block : all_blocks(model, trajectory))
      for (const auto& [column, unit] : units_of(model, block.columns)) json["units"][column] = unit;
  json["parameters"] = parameters_json(model);
  json["start"] = state_by_name(model, trajectory.start_q, trajectory.start_v);
  json["audit"] = audit_json(audit_statements(model, trajectory));
  json["notes"] = trajectory.notes;
  if (!events_fit)
    json["notes"].push_back(
        fmt::format("there is no memory to list the {} zeros of events here", trajectory.events.size()));
  json["status"] = to_string(trajectory.status);
  json["message"] = trajectory.message;
  json["native"] = trajectory.native;
  json["wall_seconds"] = trajectory.wall_seconds;
  if (trajectory.native || trajectory.compile_seconds > 0.0) {
    json["compile_seconds"] = trajectory.compile_seconds;
    json["compiled_steps"] = trajectory.compiled_steps;
  }
  return json;
}

Json options_json(const Options& options, const LoadOptions& load) {
  Json json = Json::object();
  for (const OptionRow& row : option_table()) {
    if (row.on_resume == OnResume::none || is_default(row, options)) continue;
    const std::string name(row.name);
    if (!row.word.empty()) {
      json[name].push_back(row.word);
      continue;
    }
    std::visit(
        [&](const auto& value) {
          if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Values>)
            for (const auto& [of, x] : value) json[name][of] = x;
          else
            json[name] = value;
        },
        value_of(row.field, options));
  }
  for (const auto& [name, value] : load.set) json["set"][name] = value;
  for (const auto& [name, value] : load.start) json["start"][name] = value;
  if (!load.keep.empty()) json["keep"] = load.keep;
  return json;
}

std::string systems_json() {
  Json list = Json::array();
  for (const ListedSystem& system : systems())
    list.push_back({{"name", system.key}, {"title", system.title}, {"kind", system.kind}});
  return dump({{"systems", list}});
}

}  // namespace report

using report::Json;

std::string to_json(const Model& model, const Trajectory& trajectory) {
  return report::dump(report::run_json(model, trajectory));
}

std::string to_json(const Model& model, const CheckReport& r) {
  const KindFacts& facts = facts_of(model);
  const bool mechanical = facts.lagrangian;
  Json json;
  json["system"] = model.key;
  json["kind"] = to_string(model.kind);
  json["coordinates"] = r.coordinates;
  if (facts.named_velocities()) json["velocities"] = model.odae.velocities.size();
  json["degrees_of_freedom"] = r.degrees_of_freedom;
  json["index"] = r.index;
  json["constraints"] = Json::object();
  bool any_velocity = false;
  for (const ConstraintCheck& c : r.constraints) {
    Json one;
    one["level"] = c.holonomic || !mechanical ? "position" : "velocity";
    if (mechanical) {
      one["linear"] = c.linear;
      one["integrable"] = c.holonomic || c.integrable;
      any_velocity = any_velocity || !c.holonomic;
    }
    one["start_residual"] = c.start_residual;
    if (facts.velocities && (!mechanical || c.holonomic)) one["start_residual_velocity"] = c.start_residual_velocity;
    if (facts.unilateral) {
      one["unilateral"] = c.unilateral;
      if (c.unilateral) one["acts"] = c.acts;
    }
    json["constraints"].get_ref<Json::object_t&>().emplace_back(c.name, std::move(one));
  }
  if (any_velocity) json["integrable_together"] = r.integrable_together;
  json["rank"] = r.rank;
  if (!r.redundant.empty()) json["redundant"] = r.redundant;
  if (!r.vanishing.empty()) json["gradient_zero"] = r.vanishing;
  if (!r.not_finite.empty()) json["gradient_not_finite"] = r.not_finite;
  if (mechanical) json["mass"] = {{"constant", r.mass_constant}, {"positive_definite", r.mass_positive_definite}};
  json["saddle_regular"] = r.saddle_regular;
  json["consistent"] = r.consistent;
  if (!r.consistent && !r.nearest_q.empty()) report::put_state(json["nearest"], model, r.nearest_q, r.nearest_v);
  if (!r.multipliers.empty()) json[facts_of(model).multiplier_key] = report::multipliers_by_name(model, r.multipliers);
  json["derivatives_ok"] = r.derivatives_ok;
  if (r.derivatives_undetermined) json["derivatives_undetermined"] = true;
  json["derivative_error"] = r.derivative_error;
  json["methods"] = Json::object();
  for (const MethodCheck& m : r.methods) {
    Json one = {{"applies", m.applies}};
    if (!m.reason.empty()) one["reason"] = m.reason;
    if (is_method(m.name))
      for (const std::string_view alias : find_method(m.name).aliases) json["methods"][std::string(alias)] = one;
    json["methods"][m.name] = std::move(one);
  }
  if (mechanical) report::put_symmetries(json, r);
  report::put_form(json, "port_hamiltonian", r.port_hamiltonian);
  report::put_form(json, "reduced", r.reduced);
  if (!r.latex.empty()) json["latex"] = r.latex;
  json["audit"] = report::audit_json(audit_statements(model, r));
  json["notes"] = r.notes;
  return report::dump(json);
}

std::string to_json(const Model& model, const OrderReport& r) {
  Json json;
  json["system"] = model.key;
  json["reference"] = r.reference;
  json["runs"] = Json::array();
  for (const OrderRun& run : r.runs) {
    Json one = {{"method", run.method},
                {"stages", run.stages},
                {"step", run.step},
                {"error", run.error},
                {"seconds", run.seconds}};
    one["error_positions"] = run.error_q;
    if (facts_of(model).velocities) one["error_velocities"] = run.error_v;
    if (model.multiplier_count() > 0) one["error_multipliers"] = run.error_multipliers;
    json["runs"].push_back(std::move(one));
  }
  const auto slopes = [&](const char* key, double OrderSlope::*value) {
    json[key] = Json::object();
    for (const OrderSlope& slope : r.slopes) json[key][slope.label] = slope.*value;
  };
  slopes("slopes", &OrderSlope::fitted);
  slopes("slopes_last", &OrderSlope::last);
  slopes("slopes_positions", &OrderSlope::fitted_q);
  if (facts_of(model).velocities) slopes("slopes_velocities", &OrderSlope::fitted_v);
  if (model.multiplier_count() > 0) slopes("slopes_multipliers", &OrderSlope::fitted_multipliers);
  return report::dump(json);
}

std::string methods_json() {
  Json list = Json::object();
  for (const MethodInfo& info : methods()) list[std::string(info.name)] = report::method_json(info);
  return report::dump({{"methods", list}});
}

}  // namespace rattleback
