#include "system/mechanical/reduced.hpp"

#include <fmt/format.h>

#include "step/equations.hpp"
#include "system/mechanical/free_directions.hpp"
#include "system/point.hpp"
#include "system/symbolic_solve.hpp"

namespace rattleback {

// a(q) of L = v^T M v/2 + a.v - V, and V.
struct Reduced::Parts {
  Vec a;
  NodeId V = 0;
  Vec Lq;  // L_q without the terms of a
};

namespace {

using Matrix = std::vector<Vec>;

Reduced::Parts parts_of(Graph& g, const Mechanical& f) {
  const auto at_rest = [&](NodeId e) {
    return substitute(g, e, [&](NodeId leaf) { return g[leaf].space == kVelocity ? g.zero() : leaf; });
  };
  Reduced::Parts out;
  // f.energy is that of the model as written; at rest it is V in any case.
  out.V = at_rest(f.energy);
  for (const NodeId p : f.p) out.a.push_back(at_rest(p));
  const auto n = static_cast<std::int32_t>(f.p.size());
  out.Lq = f.Lq;
  for (std::int32_t j = 0; j < n; ++j)
    for (const Entry& e : gradient(g, out.a[at(j)], kPosition)) {
      NodeId& x = out.Lq[at(e.row.base)];
      x = g.sub(x, g.mul(e.expr, g.variable(kVelocity, j)));
    }
  return out;
}

// d_i a_j - d_j a_i
Matrix rotation(Graph& g, const Vec& a) {
  const std::size_t n = a.size();
  Matrix out(n, Vec(n, g.zero()));
  for (std::size_t j = 0; j < n; ++j)
    for (const Entry& e : gradient(g, a[j], kPosition)) {
      const std::size_t i = at(e.row.base);
      out[i][j] = g.add(out[i][j], e.expr);
      out[j][i] = g.sub(out[j][i], e.expr);
    }
  return out;
}

bool any_force(const Graph& g, const Vec& force) {
  return std::any_of(force.begin(), force.end(), [&](NodeId f) { return !g.is_constant(f, 0.0); });
}

}  // namespace

std::string why_not_reducible(const Model& model) {
  Graph g = *model.graph;
  const NodeId L = model.lagrangian;
  if (depends_on(g, std::span(&L, 1), kTime)) return "needs a Lagrangian that does not depend on t";
  const Entries p = gradient(g, L, kVelocity);
  if (depends_on(g, jacobian(g, p, kVelocity), kVelocity))
    return "needs a kinetic energy that is quadratic in the velocities";
  if (depends_on(g, model.forces, kMultiplier)) return "does not take forces that contain lambda(...)";
  if (depends_on(g, model.holonomic, kTime)) return "needs constraints that do not depend on t";
  for (const Entry& e : model.nonholonomic) {
    const std::string name = model.nonholonomic_names[e.row.base];
    if (depends_on(g, std::span(&e.expr, 1), kTime))
      return fmt::format("needs constraints that do not depend on t, and '{}' does", name);
    if (depends_on(g, gradient(g, e.expr, kVelocity), kVelocity))
      return fmt::format("needs constraints that are linear in the velocities, and '{}' is not", name);
    const NodeId rest =
        substitute(g, e.expr, [&](NodeId leaf) { return g[leaf].space == kVelocity ? g.zero() : leaf; });
    if (!g.is_constant(rest, 0.0))
      return fmt::format("needs constraints that hold at rest (A(q) v = 0), and '{}' has a part without velocities",
                         name);
  }
  return "";
}

namespace {

Vec times_mass(Graph& g, const Mechanical& f, const Vec& x) {
  Vec out;
  for (const Vec& row : f.Lvv) out.push_back(dot(g, row, x));
  return out;
}

// Is a matrix of constants a multiple of the identity?
bool is_round(Graph& g, std::span<const NodeId> M, std::size_t n) {
  NodeId least = M[0], most = M[0];
  for (std::size_t e = 0; e < M.size(); ++e)
    if (e % (n + 1) == 0) {
      least = g.binary(Op::min, least, M[e]);
      most = g.binary(Op::max, most, M[e]);
    } else if (!g.is_constant(M[e], 0.0)) {
      return false;
    }
  return g.is_constant(g.sub(most, least), 0.0);
}

// y = (X^T M X)^-1 rho. If X is orthonormal, a mass that is a multiple of the identity needs no factorisation.
Vec rates_from(Graph& g, const Mechanical& f, const Matrix& X, const Vec& momenta, bool orthonormal) {
  if (orthonormal && f.mass && is_round(g, *f.mass, at(f.n))) {
    Vec y = momenta;
    for (NodeId& e : y) e = g.div(e, (*f.mass)[0]);
    return y;
  }
  Matrix metric(X.size(), Vec(X.size(), g.zero()));
  for (std::size_t b = 0; b < X.size(); ++b) {
    const Vec MX = times_mass(g, f, X[b]);
    for (std::size_t a = b; a < X.size(); ++a) metric[a][b] = metric[b][a] = dot(g, X[a], MX);
  }
  return SymbolicSolve(g, metric)(momenta);
}

// p.(d_i x), p held, by i: from central differences with increment h.
Vec slopes_by_differences(Graph& g, const Vec& x, const Vec& p) {
  const auto n = static_cast<std::int32_t>(p.size());
  Vec row;
  const NodeId h = g.variable(kStepSize, 0);
  for (std::int32_t i = 0; i < n; ++i) {
    const auto moved = [&](NodeId by) {
      Vec q = variables(g, kPosition, 0, n);
      q[at(i)] = g.add(q[at(i)], by);
      return Point(g, g.variable(kTime, 0), q, {})(x);
    };
    const Vec ahead = moved(h), behind = moved(g.neg(h));
    Vec difference;
    for (std::size_t j = 0; j < ahead.size(); ++j) difference.push_back(g.sub(ahead[j], behind[j]));
    row.push_back(g.div(dot(g, p, difference), g.mul(g.constant(2.0), h)));
  }
  return row;
}

// ... exactly.
Vec slopes_of(Graph& g, const Vec& x, const Vec& p) {
  const auto n = static_cast<std::int32_t>(p.size());
  Vec row;
  const NodeId along = dot(g, variables(g, kFrozen, 0, n), x);
  for (const NodeId e : scalars(g, rattleback::gradient(g, along, kPosition), n))
    row.push_back(
        substitute(g, e, [&](NodeId leaf) { return g[leaf].space == kFrozen ? p[at(g[leaf].base())] : leaf; }));
  return row;
}

// Of the reduced system.
Matrix structure_matrix(Graph& g, const Matrix& X, const Matrix& slopes, const Matrix& da, std::size_t n) {
  const std::size_t size = n + X.size();
  Matrix Pi(size, Vec(size, g.zero()));
  for (std::size_t a = 0; a < X.size(); ++a) {
    const std::size_t row = n + a;
    for (std::size_t i = 0; i < n; ++i) {
      Pi[i][row] = X[a][i];
      Pi[row][i] = g.neg(X[a][i]);
    }
    Vec turned;  // X_a^T da
    for (std::size_t j = 0; j < n; ++j) {
      Vec column;
      for (std::size_t i = 0; i < n; ++i) column.push_back(da[i][j]);
      turned.push_back(dot(g, X[a], column));
    }
    for (std::size_t b = a + 1; b < X.size(); ++b) {
      const NodeId c = g.add(g.sub(dot(g, slopes[a], X[b]), dot(g, slopes[b], X[a])), dot(g, turned, X[b]));
      Pi[row][n + b] = c;
      Pi[n + b][row] = g.neg(c);
    }
  }
  return Pi;
}

}  // namespace

Reduced::Reduced(const Mechanical& f, std::span<const double> start, bool differences) : n(f.n), free(f.n - f.m) {
  system.graph = f.graph;
  const Parts parts = parts_of(system.graph, f);
  build(f, free_directions(system.graph, f, start, choice), parts, true, differences);
}

Reduced::Reduced(const Mechanical& f, Graph graph, const Matrix& X) : n(f.n), free(f.n - f.m) {
  system.graph = std::move(graph);
  build(f, X, parts_of(system.graph, f), false, false);
}

void Reduced::build(const Mechanical& f, const Matrix& X, const Parts& parts, bool orthonormal, bool differences) {
  Graph& g = system.graph;
  system.n = n + free;
  const Vec v = variables(g, kVelocity, 0, n);
  const Vec Mv = times_mass(g, f, v);
  for (const Vec& column : X) rho.push_back(dot(g, column, Mv));
  const Vec momenta = variables(g, kPosition, n, free);
  const Vec y = rates_from(g, f, X, momenta, orthonormal);
  for (std::size_t i = 0; i < at(n); ++i) {
    NodeId sum = g.zero();
    for (std::size_t a = 0; a < X.size(); ++a) sum = g.add(sum, g.mul(X[a][i], y[a]));
    velocity.push_back(sum);
  }
  const Vec p = times_mass(g, f, velocity);
  system.H = g.add(g.mul(g.constant(0.5), dot(g, momenta, y)), parts.V);

  Matrix slopes;  // p.(d_i X_a), p held, by a and i
  for (const Vec& column : X)
    slopes.push_back(differences ? slopes_by_differences(g, column, p) : slopes_of(g, column, p));
  Point moving(g, g.variable(kTime, 0), {}, velocity);
  const Vec Lq = moving(parts.Lq);
  for (std::size_t i = 0; i < at(n); ++i) {
    NodeId sum = g.neg(Lq[i]);
    for (std::size_t a = 0; a < X.size(); ++a) sum = g.sub(sum, g.mul(y[a], slopes[a][i]));
    system.gradient.push_back(sum);
  }
  system.gradient.insert(system.gradient.end(), y.begin(), y.end());
  system.Pi = structure_matrix(g, X, slopes, rotation(g, parts.a), at(n));
  applied = f.applied;
  forced = any_force(g, f.applied);
  for (const Vec& column : X) force.push_back(dot(g, column, f.applied));
}

Canonical::Canonical(const Mechanical& f) : n(f.n), m(f.m), A(f.K), force(f.applied) {
  Graph& g = system.graph;
  g = f.graph;
  system.n = 2 * n;
  const Reduced::Parts parts = parts_of(g, f);
  const Vec v = variables(g, kVelocity, 0, n), p = variables(g, kPosition, n, n);
  for (const Vec& row : f.Lvv) momentum.push_back(dot(g, row, v));
  velocity = SymbolicSolve(g, f.Lvv)(p);
  system.H = g.add(g.mul(g.constant(0.5), dot(g, p, velocity)), parts.V);
  Point moving(g, g.variable(kTime, 0), {}, velocity);
  for (const NodeId e : moving(parts.Lq)) system.gradient.push_back(g.neg(e));
  system.gradient.insert(system.gradient.end(), velocity.begin(), velocity.end());
  const Matrix da = rotation(g, parts.a);
  system.Pi.assign(at(2 * n), Vec(at(2 * n), g.zero()));
  for (std::size_t i = 0; i < at(n); ++i) {
    system.Pi[i][at(n) + i] = g.one();
    system.Pi[at(n) + i][i] = g.constant(-1.0);
    for (std::size_t j = 0; j < at(n); ++j) system.Pi[at(n) + i][at(n) + j] = da[i][j];
  }
  forced = any_force(g, force);
}

}  // namespace rattleback
