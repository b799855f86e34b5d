// The acceleration level of a large system: v' and lambda as two vectors of unknowns. With a constant diagonal mass matrix
// v' is explicit, and what is solved is K M^-1 K^T lambda = ..., which is sparse.
#include "step/family_equations.hpp"
#include "system/acceleration.hpp"
#include "system/families/family_point.hpp"

namespace rattleback {
namespace {

// d/dt e, the acceleration being variables of `space`.
NodeId along_motion(Graph& g, NodeId e, Space space) {
  return tangent(g, e, [&](NodeId id) {
    const Node leaf = g[id];
    if (leaf.space == kTime) return g.one();
    if (leaf.space == kPosition) return g.variable(kVelocity, leaf.base(), leaf.stride(), leaf.count);
    if (leaf.space == kVelocity) return g.variable(space, leaf.base(), leaf.stride(), leaf.count);
    return g.zero();
  });
}

FamilyEquations equations(FamilyMechanical f) {
  FamilyEquations eq;
  Graph& g = f.graph;
  const std::int32_t n = f.n, m = f.m;
  eq.inputs = {{kTime, 1}, {kPosition, n}, {kVelocity, n}, {kMultiplier, m}};
  FamilyPoint here(g, g.variable(kTime, 0), {}, {},
                   [&](const Node& leaf) { return g.variable(kUnknown, n + leaf.base(), leaf.stride(), leaf.count); });
  Entries forces = here(f.written.force);
  for (Entry e : here(f.reaction)) {
    e.expr = g.neg(e.expr);
    forces.push_back(e);
  }
  FamilyEquations::Group acceleration, lambda;
  acceleration.size = n;
  acceleration.solved = !f.inverse_mass.empty() && f.added.c.empty();
  for (Entry e : acceleration.solved ? f.p_rest : f.written.p) {
    e.expr = g.neg(along_motion(g, e.expr, kUnknown));
    if (!g.is_constant(e.expr, 0.0)) forces.push_back(e);
  }
  for (Entry e : forces) {
    e.expr = acceleration.solved ? g.mul(f.inverse_mass_at(e), e.expr) : g.neg(e.expr);
    acceleration.equation.push_back(e);
  }
  lambda.base = n;
  lambda.size = m;
  for (Entry e : f.k) {
    e.expr = along_motion(g, e.expr, kUnknown);
    lambda.equation.push_back(e);
  }
  eq.groups.push_back(std::move(acceleration));
  eq.results = {{g.variable(kUnknown, 0, 1, n), n, {0, 1}, {}}};
  if (m > 0) {
    lambda.guess = {{g.variable(kMultiplier, 0, 1, m), m, {0, 1}, {}}};
    eq.groups.push_back(std::move(lambda));
    eq.results.push_back({g.variable(kUnknown, n, 1, m), m, {n, 1}, {}});
  }
  eq.result_count = n + m;
  eq.graph = std::move(f.graph);
  return eq;
}

}  // namespace

Entries acceleration_level(FamilyMechanical& f) {
  Graph& g = f.graph;
  Entries out;
  FamilyPoint here(g, g.variable(kTime, 0), {}, {}, [&](const Node& leaf) {
    return g.variable(kMultiplier, f.n + leaf.base(), leaf.stride(), leaf.count);
  });
  const auto add = [&](Entries list, const auto& change, std::int32_t first) {
    for (Entry& e : list) {
      e.expr = change(e.expr);
      e.row.base += first;
      out.push_back(e);
    }
  };
  const auto rate = [&](NodeId e) { return along_motion(g, e, kMultiplier); };
  add(f.written.p, rate, 0);
  add(
      here(f.written.force), [&](NodeId e) { return g.neg(e); }, 0);
  add(
      here(f.reaction), [](NodeId e) { return e; }, 0);
  add(f.k, rate, f.n);
  return out;
}

AccelerationPlan::AccelerationPlan(const FamilyMechanical& system)
    : n(static_cast<std::size_t>(system.n)),
      m(static_cast<std::size_t>(system.m)),
      mechanical(true),
      plan(equations(system)) {}

}  // namespace rattleback
