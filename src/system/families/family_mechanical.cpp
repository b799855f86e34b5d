#include "system/families/family_mechanical.hpp"

#include <algorithm>
#include <cmath>

#include "expr/evaluator.hpp"
#include "expr/traverse.hpp"
#include "system/families/family_inertia.hpp"
#include "system/families/family_values.hpp"

namespace rattleback {
namespace {

// sum over all entries of variable(space, row) * entry.
NodeId paired(Graph& g, std::span<const Entry> f, Space space) {
  NodeId total = g.zero();
  for (const Entry& e : f) {
    const NodeId x = g.mul(g.variable(space, e.row.base, e.count == 0 ? 0 : e.row.stride, e.count), e.expr);
    total = g.add(total, e.count == 0 ? x : g.sum(x, e.count));
  }
  return total;
}

NodeId at_rest(Graph& g, NodeId f) {
  return substitute(g, f, [&](NodeId leaf) { return g[leaf].space == kVelocity ? g.zero() : leaf; });
}

// T + U says the same as v.L_v - L with less cancellation when T is a quadratic form in v: then v.T_v = 2T.
bool quadratic_kinetic(Graph& g, const Model& model, const FamilyMechanical& f) {
  if (!model.kinetic || !model.potential || !g.is_constant(at_rest(g, *model.kinetic), 0.0)) return false;
  return f.p_rest.empty() && !depends_on(g, f.mass, kVelocity);
}

}  // namespace

std::int32_t largest_family(const Model& model) {
  std::int32_t largest = 0;
  std::vector<NodeId> roots = {model.lagrangian};
  const auto look = [&](const Entries& list) {
    for (const Entry& e : list) {
      largest = std::max(largest, e.count);
      roots.push_back(e.expr);
    }
  };
  for (const auto* list : {&model.forces, &model.holonomic, &model.nonholonomic, &model.constraints}) look(*list);
  for (const Entries& part : model.parts) look(part);
  for (const NodeId id : reachable(*model.graph, roots))
    if (const Node& node = (*model.graph)[id]; node.op == Op::sum)
      largest = std::max(largest, static_cast<std::int32_t>(node.b));
  return largest;
}

FamilyMechanical::FamilyMechanical(const Model& model) : graph(*model.graph) {
  n = model.coordinates.size();
  holonomic = model.holonomic_names.size();
  m = holonomic + model.nonholonomic_names.size();
  p = gradient(graph, model.lagrangian, kVelocity);
  force = gradient(graph, model.lagrangian, kPosition);
  force.insert(force.end(), model.forces.begin(), model.forces.end());
  g = model.holonomic;
  for (Entry e : g) {
    e.expr = total_time_derivative(graph, e.expr);
    k.push_back(e);
  }
  position_reaction = gradient(graph, paired(graph, k, kMultiplier), kVelocity);
  for (Entry e : model.nonholonomic) {
    e.row.base += holonomic;
    k.push_back(e);
  }
  reaction = gradient(graph, paired(graph, k, kMultiplier), kVelocity);
  K = jacobian(graph, k, kVelocity);
  mass = jacobian(graph, p, kVelocity);
  find_rest();
  twice_kinetic = paired(graph, p, kVelocity);
  energy = quadratic_kinetic(graph, model, *this) ? graph.add(*model.kinetic, *model.potential)
                                                  : graph.sub(twice_kinetic, model.lagrangian);

  written = {p, force, mass};
  added = family_inertia(*this, model);
  if (!added.c.empty()) {
    const NodeId lagrangian = graph.add(model.lagrangian, added_terms());
    p = gradient(graph, lagrangian, kVelocity);
    force = gradient(graph, lagrangian, kPosition);
    force.insert(force.end(), model.forces.begin(), model.forces.end());
    mass = jacobian(graph, p, kVelocity);
    find_rest();
  }
  constant_mass = !depends_on_motion(graph, mass);
  plain_momentum = constant_mass &&
                   std::all_of(p_rest.begin(), p_rest.end(), [&](const Entry& e) { return graph.is_constant(e.expr); });
  if (!constant_mass || !is_diagonal(mass)) return;
  Evaluator value(graph, mass, n, n, m);
  const std::vector<double> zero(static_cast<std::size_t>(n), 0.0);
  for (const double x : value(0.0, zero, zero)) inverse_mass.push_back(1.0 / x);
  if (!std::all_of(inverse_mass.begin(), inverse_mass.end(), [](double x) { return std::isfinite(x) && x != 0.0; }))
    inverse_mass.clear();
  massless = inverse_mass.empty();
}

void FamilyMechanical::find_rest() {
  p_rest.clear();
  for (Entry e : p) {
    e.expr = at_rest(graph, e.expr);
    if (!graph.is_constant(e.expr, 0.0)) p_rest.push_back(e);
  }
}

// Sum over all members of c/2 k^2, which is 0 along every motion (system/mechanical/inertia.hpp).
NodeId FamilyMechanical::added_terms() {
  NodeId total = graph.zero();
  for (const Entry& e : k) {
    if (added.c[static_cast<std::size_t>(e.row.at(0))] == 0.0) continue;
    const NodeId x = graph.mul(graph.mul(graph.constant(0.5), values_at(added.c, e)), graph.mul(e.expr, e.expr));
    total = graph.add(total, e.count == 0 ? x : graph.sum(x, e.count));
  }
  return total;
}

NodeId FamilyMechanical::values_at(const std::vector<double>& values, const Entry& e) {
  const auto at = [&](std::int32_t i) { return values[static_cast<std::size_t>(e.row.at(i))]; };
  bool equal = true;
  for (std::int32_t i = 1; i < e.count; ++i) equal = equal && at(i) == at(0);
  if (equal) return graph.constant(at(0));
  return graph.table(graph.add_table(values), e.row.base, e.row.stride, e.count);
}

}  // namespace rattleback
