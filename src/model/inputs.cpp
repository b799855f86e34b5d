#include "model/inputs.hpp"

#include <algorithm>

#include "model/grammar/suggest.hpp"
#include "model/kind_facts.hpp"
#include "rattleback/error.hpp"

namespace rattleback {
namespace {

// The inputs of the ports, in the order of port_names().
std::vector<NodeId> inputs_of(const Model& model) {
  std::vector<NodeId> out;
  for (const Port& p : model.ports) out.push_back(p.input);
  if (facts_of(model).reports_ports)
    for (const PortHamiltonianParts::Input& input : model.ph.inputs) out.push_back(input.u);
  return out;
}

std::size_t find_port(const Model& model, std::string_view port) {
  const std::vector<std::string> names = port_names(model);
  const auto at = std::find(names.begin(), names.end(), port);
  if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
  const std::string name(port.substr(0, 60));
  if (names.empty()) throw Error("there is no port `" + name + "`: model '" + model.name + "' has no ports");
  throw error_of("there is no port `" + name + "`. " + front::did_you_mean(name, names) +
                 "Ports: " + front::listed(names));
}

// The forces of the ports stand behind all others, each with an entry for what is not zero.
Entries forces_without_ports(const Model& model, Graph& graph) {
  std::size_t of_ports = 0;
  for (const Port& p : model.ports)
    for (const Entry& e : p.along) of_ports += graph.is_constant(graph.mul(p.input, e.expr), 0.0) ? 0 : 1;
  return {model.forces.begin(), model.forces.end() - static_cast<std::ptrdiff_t>(of_ports)};
}

}  // namespace

std::vector<std::string> port_names(const Model& model) {
  std::vector<std::string> out;
  for (const Port& p : model.ports) out.push_back(p.name);
  if (facts_of(model).reports_ports)
    for (const PortHamiltonianParts::Input& input : model.ph.inputs) out.push_back(input.name);
  return out;
}

std::vector<double> given_values(const Model& model) {
  std::vector<double> out;
  for (const auto& parameter : model.parameters) out.push_back(parameter.second);
  for (const NodeId id : inputs_of(model)) {
    const Node& n = (*model.graph)[id];
    if (n.op != Op::input) continue;
    if (n.a >= out.size()) out.resize(n.a + 1, 0.0);
    out[n.a] = n.value;
  }
  return out;
}

std::optional<std::uint32_t> place_of_input(const Model& model, std::string_view port) {
  const Node& n = (*model.graph)[inputs_of(model)[find_port(model, port)]];
  return n.op == Op::input ? std::optional(n.a) : std::nullopt;
}

Model with_given_inputs(const Model& model, std::span<const std::string> ports) {
  Model out = model;
  auto graph = std::make_shared<Graph>(*model.graph);
  const Entries others = forces_without_ports(model, *graph);
  auto next = static_cast<std::uint32_t>(given_values(model).size());
  for (const std::string& port : ports) {
    const std::size_t k = find_port(model, port);
    if (place_of_input(out, port)) continue;
    const NodeId given = graph->input(next++, 0.0);
    // Of a mechanical model the first inputs of its port-Hamiltonian form are its ports.
    if (k < out.ports.size()) out.ports[k].input = given;
    out.ph.inputs[k].u = given;
    out.graph = graph;  // where place_of_input() looks
  }
  out.forces = others;
  for (const Port& p : out.ports)
    for (Entry e : p.along) {
      e.expr = graph->mul(p.input, e.expr);
      if (!graph->is_constant(e.expr, 0.0)) out.forces.push_back(e);
    }
  out.dissipative = out.dissipative || !out.forces.empty();
  out.graph = std::move(graph);
  return out;
}

bool is_idle(const Graph& graph, NodeId input) {
  return graph.is_constant(input, 0.0) || (graph[input].op == Op::input && graph[input].value == 0.0);
}

bool has_idle_forces(const Model& model) {
  std::size_t of_ports = 0;
  for (const Port& p : model.ports) {
    if (!is_idle(*model.graph, p.input)) return false;
    of_ports += p.along.size();
  }
  return model.forces.size() <= of_ports;
}

}  // namespace rattleback
