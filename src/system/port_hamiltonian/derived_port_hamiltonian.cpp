#include "system/port_hamiltonian/derived_port_hamiltonian.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace rattleback {
namespace {

NodeId at_rest(Graph& g, NodeId f) {
  return substitute(g, f, [&](NodeId leaf) { return g[leaf].space == kVelocity ? g.zero() : leaf; });
}

}  // namespace

std::string why_no_port_hamiltonian_form(const Model& model) try {
  Graph g = *model.graph;
  if (depends_on(g, std::span(&model.lagrangian, 1), kTime))
    return "a Lagrangian that does not depend on t: its energy is the Hamiltonian";
  const Entries p = gradient(g, model.lagrangian, kVelocity);
  const bool quadratic =
      std::all_of(p.begin(), p.end(), [&](const Entry& e) { return g.is_constant(at_rest(g, e.expr), 0.0); }) &&
      !depends_on(g, jacobian(g, p, kVelocity), kVelocity);
  if (!quadratic) return "a Lagrangian v^T M(q) v/2 - V(q); this one is not such a function of the velocities";
  for (std::size_t i = 0; i < model.holonomic.size(); ++i)
    if (depends_on(g, std::span(&model.holonomic[i], 1), kTime))
      return fmt::format("constraints that do not move: '{}' depends on t",
                         model.holonomic_names[model.holonomic[i].row.base]);
  for (const Entry& e : model.nonholonomic) {
    const Entry one[] = {e};
    const std::string name = model.nonholonomic_names[e.row.base];
    if (depends_on(g, jacobian(g, one, kVelocity), kVelocity))
      return fmt::format("constraints that are linear in the velocities: '{}' is not", name);
    if (!g.is_constant(at_rest(g, e.expr), 0.0))
      return fmt::format("constraints without a part that is free of velocities: '{}' has one", name);
  }
  return "";
} catch (const NeedsUnrolling&) {
  return "single coordinates, and this model has large families";
}

PortHamiltonian port_hamiltonian_form(const Model& model, const Mechanical& system) {
  PortHamiltonian f;
  f.graph = system.graph;
  Graph& g = f.graph;
  using Vector = PortHamiltonian::Vector;
  using Matrix = PortHamiltonian::Matrix;
  const auto n = static_cast<std::size_t>(system.n), m = static_cast<std::size_t>(system.m), all = 2 * n + m;
  f.n = static_cast<std::int32_t>(all);
  // q, v and lambda become states.
  const auto state = [&](NodeId e) {
    return substitute(g, e, [&](NodeId leaf) {
      const Node v = g[leaf];
      if (v.space == kVelocity) return g.variable(kPosition, v.base() + system.n);
      if (v.space == kMultiplier) return g.variable(kPosition, v.base() + 2 * system.n);
      return leaf;
    });
  };
  const auto v = [&](std::size_t i) { return g.variable(kPosition, static_cast<std::int32_t>(n + i)); };
  const Matrix zero(all, Vector(all, g.zero()));
  f.E = f.J = f.R = zero;

  NodeId twice_kinetic = g.zero();
  Matrix M;
  for (std::size_t i = 0; i < n; ++i) {
    M.emplace_back();
    for (std::size_t j = 0; j < n; ++j) M[i].push_back(state(system.Lvv[i][j]));
  }
  // d M_jk / d q_i
  const auto slope = [&](std::size_t j, std::size_t k) { return scalars(g, gradient(g, M[j][k], kPosition), f.n); };
  std::vector<Matrix> dM(n, Matrix(n));
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = 0; k < n; ++k) dM[j][k] = slope(j, k);
  for (std::size_t i = 0; i < n; ++i) {
    f.E[i][i] = g.one();
    f.J[i][n + i] = g.one();
    f.J[n + i][i] = g.constant(-1.0);
    for (std::size_t j = 0; j < n; ++j) {
      f.E[n + i][n + j] = M[i][j];
      twice_kinetic = g.add(twice_kinetic, g.mul(M[i][j], g.mul(v(i), v(j))));
    }
    for (std::size_t j = i + 1; j < n; ++j) {
      NodeId c = g.zero();
      for (std::size_t k = 0; k < n; ++k) c = g.add(c, g.mul(g.sub(dM[j][k][i], dM[i][k][j]), v(k)));
      f.J[n + i][n + j] = c;
      f.J[n + j][n + i] = g.neg(c);
    }
  }
  for (std::size_t c = 0; c < m; ++c)
    for (std::size_t i = 0; i < n; ++i) {
      const NodeId a = state(system.K[c][i]);
      f.J[2 * n + c][n + i] = a;
      f.J[n + i][2 * n + c] = g.neg(a);
    }
  const NodeId potential = g.neg(at_rest(g, model.lagrangian));  // first: compilers differ in the order of arguments
  f.H = g.add(g.mul(g.constant(0.5), twice_kinetic), potential);

  f.z = scalars(g, gradient(g, f.H, kPosition), f.n);
  for (std::size_t i = 0; i < n + m; ++i) f.z[n + i] = v(i);  // velocities, then multipliers
  f.r.assign(all, g.zero());

  for (const Entry& e : model.ph.R) {
    if (e.count != 0) throw NeedsUnrolling();
    NodeId& x = f.R[n + static_cast<std::size_t>(e.row.base)][n + static_cast<std::size_t>(e.col.base)];
    x = g.add(x, state(e.expr));
  }
  std::vector<Vector> columns;
  const auto input = [&](const std::string& name, NodeId u, const Vector& along) {
    f.input_names.push_back(name);
    f.u.push_back(state(u));
    Vector& column = columns.emplace_back(all, g.zero());
    for (std::size_t i = 0; i < n; ++i) column[n + i] = state(along[i]);
  };
  if (model.ph.inputs.empty() && model.ph.R.empty()) {
    for (std::size_t i = 0; i < n; ++i) {
      if (g.is_constant(system.applied[i], 0.0)) continue;
      Vector along(n, g.zero());
      along[i] = g.one();
      input("force." + model.coordinates[static_cast<std::int32_t>(i)], system.applied[i], along);
    }
  } else {
    for (const PortHamiltonianParts::Input& u : model.ph.inputs) input(u.name, u.u, scalars(g, u.B, system.n));
  }
  f.inputs = static_cast<std::int32_t>(columns.size());
  f.B.assign(all, Vector(columns.size(), g.zero()));
  f.P = f.B;
  f.S.assign(columns.size(), Vector(columns.size(), g.zero()));
  f.N = f.S;
  for (std::size_t k = 0; k < columns.size(); ++k)
    for (std::size_t i = 0; i < all; ++i) f.B[i][k] = columns[k][i];

  f.states = model.coordinates.all();
  for (const std::string& name : model.coordinates.all()) f.states.push_back(name + "'");
  for (std::int32_t c = 0; c < system.m; ++c) f.states.push_back("lambda(" + model.multiplier_name(c) + ")");
  return f;
}

}  // namespace rattleback
