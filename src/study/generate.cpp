#include "rattleback/generate.hpp"
#include "model/usable.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>

#include <fmt/format.h>

#include "bind/bind.hpp"
#include "engine/text/header_text.hpp"
#include "engine/text/identifier.hpp"
#include "files/harmless.hpp"
#include "files/read.hpp"
#include "files/replace.hpp"
#include "model/inputs.hpp"
#include "model/kind_facts.hpp"
#include "option/run_table.hpp"
#include "rattleback/error.hpp"
#include "run/complete.hpp"

namespace rattleback {
namespace {

void check_name(const std::string& name) {
  std::string_view rest = name;
  for (;;) {
    const std::size_t end = rest.find("::");
    if (!is_identifier(rest.substr(0, end)))
      throw Error(fmt::format(
          "the name of a struct is an identifier of C++, with namespaces before it if you like (demo::Pendulum), found "
          "'{}'",
          name));
    if (end == std::string_view::npos) return;
    rest.remove_prefix(end + 2);
  }
}

// What the struct lets its user look at, by kind of system.
struct Watch {
  Equations& eq;
  WatchedPlan& out;

  void operator()(const Mechanical& f) const {
    energy(f.graph, f.energy);
    out.positions = static_cast<std::int32_t>(f.g.size());
    add(f.g);
    add(f.k);
  }
  void operator()(const PortHamiltonian& f) const { energy(f.graph, f.H); }
  void operator()(const SkewGradient& f) const { energy(f.graph, f.H); }
  void operator()(const Dae& f) const {
    eq.graph = f.graph;
    add(f.c);
    out.positions = static_cast<std::int32_t>(f.c.size());
  }
  void operator()(const Overdetermined&) const {}

 private:
  void energy(const Graph& graph, NodeId value) const {
    eq.graph = graph;
    eq.results = {value};
    out.has_energy = true;
  }
  void add(const std::vector<NodeId>& nodes) const { eq.results.insert(eq.results.end(), nodes.begin(), nodes.end()); }
};

WatchedPlan watched_plan(const System& system) {
  Equations eq;
  WatchedPlan out{.plan = Plan(Equations{})};
  eq.inputs = {{kTime, 1}, {kPosition, system.n()}, {kVelocity, system.nv()}};
  system.visit(Watch{eq, out});
  out.plan = Plan(std::move(eq));
  return out;
}

}  // namespace

std::string step_header(const Model& model, const Options& given, const std::string& name) {
  check_name(name);
  (void)usable(model);
  if (std::string faults = given.validate(); !faults.empty()) throw Error(faults);
  if (given.adaptive != 0.0) throw Error("generated steps have one size at a time; leave --adaptive out");
  Options options = with_run_table(model, given, Place::generate);
  if (!options.until && !options.steps) options.steps = 1;  // how far does not matter here
  options = complete(model, options);
  System system(model);
  if (options.redundant == Redundant::minimum_norm) system.allow_redundant();
  const Start start = consistent_start(system, options.project);
  const BoundMethod method = bind(system, options, start);
  if (const std::string reason = why_not_header(*method.stepper); !reason.empty())
    throw Error(fmt::format("steps of '{}' on '{}' cannot be generated: {}. `rattleback run` takes them", method.name,
                            model.key, reason));
  method.stepper->start(0.0, start.q, start.v, start.multipliers, start.acceleration);
  HeaderNames names{.name = name,
                    .description = {},
                    .positions = {},
                    .velocities = {},
                    .step = options.step,
                    .parameters = model.parameters,
                    .inputs = {}};
  for (const std::string& port : port_names(model))
    if (const auto place = place_of_input(model, port)) {
      names.inputs.resize(std::max(names.inputs.size(), *place + 1 - model.parameters.size()));
      names.inputs[*place - model.parameters.size()].first = port;
    }
  names.description =
      fmt::format("{}: steps of {} ({} stage{}, order {}{}{})", model.name.empty() ? model.key : model.name,
                  method.name, method.stages, method.stages == 1 ? "" : "s", method.order(),
                  method.formulation == Formulation::none ? "" : ", ", to_string(method.formulation));
  for (std::int32_t i = 0; i < system.n(); ++i) names.positions.push_back(model.coordinates[i]);
  names.velocities = velocity_names(model);
  return header_text(dynamic_cast<const PlanStepper&>(*method.stepper), watched_plan(system), names);
}

int write_step_header(const Model& model, const Options& options, const std::string& name,
                      const std::string& path) try {
  const std::string text = step_header(model, options, name);
  if (const files::FileText old = files::read_text(path, text.size()); old.fault.empty() && old.text == text) return 0;
  files::write_text(path, text);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", files::harmless(error.what()).c_str());
  return 2;
}

}  // namespace rattleback
