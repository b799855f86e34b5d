#include "system/mechanical/mechanical.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/decompositions.hpp"
#include "rattleback/error.hpp"

namespace rattleback {

namespace {

std::vector<std::vector<NodeId>> matrix(Graph& g, const std::vector<NodeId>& f, Space space, std::int32_t columns) {
  std::vector<std::vector<NodeId>> out;
  for (const NodeId row : f) out.push_back(scalars(g, gradient(g, row, space), columns));
  return out;
}

Eigen::Map<const linalg::RowMajorXd> square(std::span<const double> entries) {
  const auto n = static_cast<Eigen::Index>(std::lround(std::sqrt(static_cast<double>(entries.size()))));
  return {entries.data(), n, n};
}

// No numbers where it is singular.
void invert(std::span<const double> from, std::span<double> to) {
  const std::optional<Eigen::MatrixXd> inverse = linalg::inverse(Eigen::MatrixXd(square(from)));
  if (!inverse) {
    std::fill(to.begin(), to.end(), std::nan(""));
    return;
  }
  Eigen::Map<linalg::RowMajorXd>(to.data(), inverse->rows(), inverse->cols()) = *inverse;
}

// Are diagonal entries of very different size?
bool is_graded(Graph& g, std::span<const NodeId> diagonal) {
  constexpr double kGraded = 1e-4;
  NodeId least = g.unary(Op::abs, diagonal[0]), most = least;
  for (const NodeId e : diagonal) {
    least = g.binary(Op::min, least, g.unary(Op::abs, e));
    most = g.binary(Op::max, most, g.unary(Op::abs, e));
  }
  return !g.is_constant(g.binary(Op::less, least, g.mul(g.constant(kGraded), most)), 0.0);
}

}  // namespace

Mechanical::Mechanical(const Model& model, bool add_inertia, const AddedInertia* given) : graph(*model.graph) {
  n = model.coordinates.size();
  holonomic = model.holonomic_names.size();
  m = holonomic + model.nonholonomic_names.size();
  p = scalars(graph, gradient(graph, model.lagrangian, kVelocity), n);
  Lq = scalars(graph, gradient(graph, model.lagrangian, kPosition), n);
  applied = scalars(graph, model.forces, n);
  Entries rest = model.forces;
  for (auto group = model.force_groups.rbegin(); group != model.force_groups.rend(); ++group) {
    const auto first = rest.begin() + static_cast<std::ptrdiff_t>(group->first);
    const Entries own(first, first + static_cast<std::ptrdiff_t>(group->count));
    rest.erase(first, first + static_cast<std::ptrdiff_t>(group->count));
    groups.insert(groups.begin(), {group->coefficients, scalars(graph, own, n)});
  }
  ungrouped = groups.empty() ? applied : scalars(graph, rest, n);
  for (std::size_t i = 0; i < Lq.size(); ++i) force.push_back(graph.add(Lq[i], applied[i]));
  g = scalars(graph, model.holonomic, holonomic);
  for (const NodeId c : g) k.push_back(total_time_derivative(graph, c));
  for (const NodeId c : scalars(graph, model.nonholonomic, m - holonomic)) k.push_back(c);
  K = matrix(graph, k, kVelocity, n);
  Lvv = matrix(graph, p, kVelocity, n);

  Lt = tangent(graph, model.lagrangian,
               [&](NodeId leaf) { return graph[leaf].space == kTime ? graph.one() : graph.zero(); });
  energy = graph.neg(model.lagrangian);
  for (std::int32_t i = 0; i < n; ++i)
    energy = graph.add(energy, graph.mul(graph.variable(kVelocity, i), p[static_cast<std::size_t>(i)]));
  // T + U says the same with less cancellation when T is homogeneous of degree two: then v.T_v = 2T.
  if (model.kinetic && model.potential) {
    NodeId vp = graph.zero();
    for (const Entry& e : gradient(graph, *model.kinetic, kVelocity))
      vp = graph.add(vp, graph.mul(graph.variable(kVelocity, e.row.base), e.expr));
    const bool quadratic = [&] {
      // d(T_v)/dv free of v, and T = 0 at v = 0: T is a quadratic form in v.
      const NodeId zero = graph.zero();
      const auto at_rest = [&](NodeId f) {
        return substitute(graph, f, [&](NodeId leaf) { return graph[leaf].space == kVelocity ? zero : leaf; });
      };
      if (!graph.is_constant(at_rest(*model.kinetic), 0.0)) return false;
      for (const NodeId f : p)
        if (!graph.is_constant(at_rest(f), 0.0)) return false;
      for (const auto& row : Lvv)
        if (depends_on(graph, row, kVelocity)) return false;
      return true;
    }();
    if (quadratic) energy = graph.add(*model.kinetic, *model.potential);
  }

  written = {p, force, Lvv};
  if (add_inertia) added = given != nullptr ? *given : added_inertia(model, graph, Lvv, K);
  if (!added.c.empty()) {
    NodeId lagrangian = model.lagrangian;
    for (std::size_t i = 0; i < k.size(); ++i)
      lagrangian = graph.add(lagrangian, graph.mul(graph.constant(0.5 * added.c[i]), graph.mul(k[i], k[i])));
    p = scalars(graph, gradient(graph, lagrangian, kVelocity), n);
    Lq = scalars(graph, gradient(graph, lagrangian, kPosition), n);
    for (std::size_t i = 0; i < Lq.size(); ++i) force[i] = graph.add(Lq[i], applied[i]);
    Lvv = matrix(graph, p, kVelocity, n);
  }

  linear_constraints = true;
  for (const auto& row : K) linear_constraints = linear_constraints && !depends_on(graph, row, kVelocity);
  multiplier_forces = depends_on(graph, applied, kMultiplier);

  bool constant = true;
  std::vector<NodeId> M;
  for (const auto& row : Lvv)
    for (const NodeId e : row) {
      constant = constant && graph.is_constant(e);
      M.push_back(e);
    }
  if (constant && n > 0) {
    const auto size = static_cast<std::size_t>(n);
    const auto on_diagonal = [&](std::size_t entry) { return entry % (size + 1) == 0; };
    std::vector<NodeId> diagonal;
    bool nothing_else = true, regular = true;
    for (std::size_t e = 0; e < M.size(); ++e)
      if (on_diagonal(e))
        diagonal.push_back(M[e]);
      else
        nothing_else = nothing_else && graph.is_constant(M[e], 0.0);
    if (nothing_else) {
      for (const NodeId e : diagonal) regular = regular && graph[e].value != 0.0 && std::isfinite(graph[e].value);
      if (regular) inverse_mass.emplace(M.size(), graph.zero());
      for (std::size_t e = 0; e < M.size() && regular; e += size + 1) (*inverse_mass)[e] = graph.div(graph.one(), M[e]);
    } else {
      std::vector<NodeId> inverse = graph.computed(invert, M, M.size());
      regular = std::isfinite(graph[inverse[0]].value);
      if (regular) inverse_mass = std::move(inverse);
    }
    diagonal_mass = nothing_else && regular;
    graded_mass = is_graded(graph, diagonal) || !regular;
    mass = std::move(M);
    Graph& gr = graph;
    for (const NodeId f : p)
      p_rest.push_back(substitute(gr, f, [&](NodeId leaf) { return gr[leaf].space == kVelocity ? gr.zero() : leaf; }));
    plain_momentum = std::all_of(p_rest.begin(), p_rest.end(), [&](NodeId f) { return gr.is_constant(f); });
    separable = plain_momentum && !depends_on(graph, Lq, kVelocity);
  }
}

std::vector<NodeId> Mechanical::reaction(const std::vector<NodeId>& lambda) {
  std::vector<NodeId> out(static_cast<std::size_t>(n), graph.zero());
  for (std::size_t c = 0; c < K.size(); ++c)
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = graph.add(out[i], graph.mul(K[c][i], lambda[c]));
  return out;
}

}  // namespace rattleback
