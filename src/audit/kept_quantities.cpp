#include "audit/kept_quantities.hpp"

#include "audit/symmetry_judge.hpp"
#include "expr/scalars.hpp"

namespace rattleback {

namespace {

bool judges_symmetries(const System& system) {
  return !system.model().symmetries.empty() && system.as<Mechanical>() != nullptr && !system.has_families();
}

}  // namespace

std::vector<Symmetry> lost_symmetries(const System& system) {
  std::vector<Symmetry> out;
  if (!judges_symmetries(system)) return out;
  SymmetryJudge judge(system);
  for (const Symmetry& symmetry : system.model().symmetries)
    if (!judge(scalars(judge.graph(), symmetry.field, judge.n())).conserved()) out.push_back(symmetry);
  return out;
}

KeptQuantities kept_quantities(const System& system) {
  const Model& model = system.model();
  KeptQuantities out;
  out.graph = *model.graph;
  for (const Invariant& invariant : model.invariants) {
    out.names.push_back(invariant.name);
    out.nodes.push_back(invariant.value);
  }
  if (!judges_symmetries(system)) return out;
  SymmetryJudge judge(system);
  Graph& g = judge.graph();
  for (const Symmetry& symmetry : model.symmetries) {
    const std::vector<NodeId> xi = scalars(g, symmetry.field, judge.n());
    if (!judge(xi).conserved()) continue;
    NodeId momentum = g.zero();  // J = L_v xi
    for (std::size_t i = 0; i < xi.size(); ++i) momentum = g.add(momentum, g.mul(judge.momentum()[i], xi[i]));
    out.names.push_back(symmetry.name);
    out.nodes.push_back(momentum);
  }
  out.graph = g;
  return out;
}

}  // namespace rattleback
