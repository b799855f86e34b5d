#include "audit/energy_balance.hpp"

#include <algorithm>

#include "model/inputs.hpp"

namespace rattleback {

namespace {

std::string why_port_hamiltonian_changes(const Model& model) {
  const PortHamiltonianParts& ph = model.ph;
  const auto vanish = [&](const Entries& list) {
    return std::all_of(list.begin(), list.end(), [&](const Entry& e) { return model.graph->is_constant(e.expr, 0.0); });
  };
  const bool driven = std::any_of(ph.inputs.begin(), ph.inputs.end(), [&](const PortHamiltonianParts::Input& input) {
    return !is_idle(*model.graph, input.u);
  });
  if (!vanish(ph.R))
    return driven ? "Inputs and dampers do work on this system" : "Dampers take energy from this system";
  if (driven) return "Inputs do work on this system";
  return vanish(ph.r) ? "" : "The Hamiltonian depends on time";
}

std::string why_mechanical_changes(const Model& model) {
  if (model.graph == nullptr) return model.dissipative ? "Forces do work on this system" : "";
  if (model.dissipative && !has_idle_forces(model)) return "Forces do work on this system";
  Graph g = *model.graph;
  if (depends_on(g, std::span(&model.lagrangian, 1), kTime)) return "The Lagrangian depends on time";
  const bool affine = std::any_of(model.nonholonomic.begin(), model.nonholonomic.end(), [&](const Entry& e) {
    const NodeId at_rest =
        substitute(g, e.expr, [&](NodeId leaf) { return g[leaf].space == kVelocity ? g.zero() : leaf; });
    return !g.is_constant(at_rest, 0.0);
  });
  return affine || depends_on(g, model.holonomic, kTime) ? "Constraints that move do work on this system" : "";
}

}  // namespace

std::string why_energy_changes(const Model& model) {
  switch (model.kind) {
    case Kind::mechanical: return why_mechanical_changes(model);
    case Kind::port_hamiltonian: return why_port_hamiltonian_changes(model);
    case Kind::dae:
    case Kind::odae:
    case Kind::skew_gradient: break;
  }
  return "";
}

}  // namespace rattleback
