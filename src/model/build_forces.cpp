#include "model/build_forces.hpp"

#include <map>

namespace rattleback::front {
namespace {

// The dissipation matrix of the port-Hamiltonian form: the Hessian of a Rayleigh function that is quadratic in v.
void damp(Graph& graph, const Entries& slope, Model& model) {
  try {
    Entries hessian = jacobian(graph, slope, kVelocity);
    if (depends_on(graph, hessian, kVelocity)) return;
    for (const Entry& e : slope) {
      const NodeId rest =
          substitute(graph, e.expr, [&](NodeId leaf) { return graph[leaf].space == kVelocity ? graph.zero() : leaf; });
      if (!graph.is_constant(rest, 0.0)) return;
    }
    model.ph.R = std::move(hessian);
  } catch (const NeedsUnrolling&) {  // a nonlinear function of a sum: nobody asks for its matrix
  }
}

}  // namespace

void add_dissipation(Graph& graph, NodeId rayleigh, Model& model) {
  const Entries slope = gradient(graph, rayleigh, kVelocity);
  damp(graph, slope, model);
  for (Entry entry : slope) {
    entry.expr = graph.neg(entry.expr);
    model.forces.push_back(entry);
  }
}

void add_port(Graph& graph, Port port, Model& model) {
  for (Entry entry : port.along) {
    entry.expr = graph.mul(port.input, entry.expr);
    if (!graph.is_constant(entry.expr, 0.0)) model.forces.push_back(entry);
  }
  model.ph.inputs.push_back({port.name, port.input, port.along, {}});
  model.ports.push_back(std::move(port));
}

void name_other_forces(Graph& graph, std::size_t count, Model& model) {
  std::map<std::int32_t, NodeId> force;
  for (std::size_t i = 0; i < count; ++i) {
    const Entry& entry = model.forces[i];
    if (entry.count != 0) return;  // families: this is not asked for
    const auto [it, fresh] = force.try_emplace(entry.row.base, entry.expr);
    if (!fresh) it->second = graph.add(it->second, entry.expr);
  }
  for (const auto& [row, u] : force)
    model.ph.inputs.push_back({"force." + model.coordinates[row], u, {{graph.one(), 0, {row, 0}, {}}}, {}});
}

}  // namespace rattleback::front
