#include "system/first_order/odae.hpp"

#include <algorithm>

#include "expr/combine.hpp"
#include "expr/traverse.hpp"
#include "expr/vectors.hpp"
#include "rattleback/error.hpp"

namespace rattleback {
Overdetermined::Overdetermined(const Model& model) : graph(*model.graph) {
  ny = model.coordinates.size();
  nz = model.odae.velocities.size();
  m = model.algebraic.size();
  v = scalars(graph, model.odae.v, ny);
  f = scalars(graph, model.odae.f, nz);
  r = scalars(graph, model.odae.r, nz);
  if (!model.odae.p.empty()) p = scalars(graph, model.odae.p, nz);
  g = scalars(graph, model.constraints, m);
  const std::vector<NodeId> still(static_cast<std::size_t>(nz), graph.zero());
  for (const NodeId c : g) k.push_back(along(c, v, still));
}

Overdetermined::Overdetermined(const Mechanical& system) : graph(system.graph) {
  if (system.holonomic != system.m)
    throw Error("overdetermined methods take constraints at position level: holonomic ones");
  ny = nz = system.n;
  m = system.m;
  v = variables(graph, kVelocity, 0, nz);
  g = system.g;
  k = system.k;
  const auto n = static_cast<std::size_t>(ny);
  // p' = L_q + F(lambda) - K^T lambda: what does not contain lambda is f.
  for (std::size_t i = 0; i < n; ++i) {
    const NodeId free = substitute(graph, system.force[i],
                                   [&](NodeId leaf) { return graph[leaf].space == kMultiplier ? graph.zero() : leaf; });
    f.push_back(free);
    NodeId reaction = graph.sub(system.force[i], free);
    for (std::size_t c = 0; c < system.K.size(); ++c)
      reaction =
          graph.sub(reaction, graph.mul(system.K[c][i], graph.variable(kMultiplier, static_cast<std::int32_t>(c))));
    r.push_back(reaction);
  }
  if (!system.inverse_mass) {
    p = system.p;
    return;
  }
  const auto solved = [&](const std::vector<NodeId>& x) {
    std::vector<NodeId> out;
    for (std::size_t i = 0; i < n; ++i)
      out.push_back(combine(graph, std::span(*system.inverse_mass).subspan(i * n, n), x));
    return out;
  };
  f = solved(f);
  r = solved(r);
  if (system.plain_momentum) return;
  p = solved(system.p_rest);
  for (std::size_t i = 0; i < n; ++i) p[i] = graph.add(v[i], p[i]);
}

Overdetermined Overdetermined::restricted(std::span<const std::int32_t> constraints) const {
  Overdetermined out;
  out.graph = graph;
  out.ny = ny;
  out.nz = nz;
  out.m = static_cast<std::int32_t>(constraints.size());
  out.v = v;
  out.f = f;
  out.p = p;
  Graph& gr = out.graph;
  for (const std::int32_t c : constraints) {
    out.g.push_back(g[static_cast<std::size_t>(c)]);
    out.k.push_back(k[static_cast<std::size_t>(c)]);
  }
  for (const NodeId e : r)
    out.r.push_back(substitute(gr, e, [&](NodeId leaf) {
      if (gr[leaf].space != kMultiplier) return leaf;
      const auto at = std::find(constraints.begin(), constraints.end(), gr[leaf].base());
      return at == constraints.end() ? gr.zero()
                                     : gr.variable(kMultiplier, static_cast<std::int32_t>(at - constraints.begin()));
    }));
  return out;
}

NodeId Overdetermined::along(NodeId e, std::span<const NodeId> position, std::span<const NodeId> velocity) {
  return tangent(graph, e, [&](NodeId id) {
    const Node n = graph[id];
    if (n.space == kTime) return graph.one();
    if (n.space == kPosition) return position[static_cast<std::size_t>(n.base())];
    if (n.space == kVelocity) return velocity[static_cast<std::size_t>(n.base())];
    return graph.zero();
  });
}

std::vector<NodeId> Overdetermined::carried_along() {
  const std::vector<NodeId> still(static_cast<std::size_t>(nz), graph.zero());
  std::vector<NodeId> out;
  for (const NodeId e : p) out.push_back(along(e, v, still));
  out.resize(static_cast<std::size_t>(nz), graph.zero());
  return out;
}

bool Overdetermined::affine() const {
  Graph work = graph;
  for (const NodeId e : r) {
    for (const Entry& d : gradient(work, e, kMultiplier))
      if (depends_on(work, std::span(&d.expr, 1), kMultiplier)) return false;
    for (const NodeId id : reachable(work, std::span(&e, 1))) {  // a jump has the derivative zero
      const Op op = work[id].op;
      if ((op == Op::sign || op == Op::less || op == Op::less_equal) &&
          depends_on(work, std::span(&id, 1), kMultiplier))
        return false;
    }
  }
  return true;
}

}  // namespace rattleback
