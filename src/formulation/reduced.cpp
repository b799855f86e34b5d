#include "formulation/reduced.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "formulation/point.hpp"
#include "formulation/symbolic_solve.hpp"
#include "solve/equations.hpp"

namespace rattleback {
namespace {

using Vec = std::vector<NodeId>;
using Matrix = std::vector<Vec>;

// Stands for p while derivatives by q are taken.
constexpr Space kFrozen = 0xfff1;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

NodeId dot(Graph& g, const Vec& a, const Vec& b) {
  NodeId sum = g.zero();
  for (std::size_t i = 0; i < a.size(); ++i) sum = g.add(sum, g.mul(a[i], b[i]));
  return sum;
}

Vec variables(Graph& g, Space space, std::int32_t first, std::int32_t count) {
  Vec out;
  for (std::int32_t i = 0; i < count; ++i) out.push_back(g.variable(space, first + i));
  return out;
}

// The reflections I - beta_k w_k w_k^T of the QR factorisation of A^T, with w_k = (0, R_kk + s_k |R_k|, R_k+1,k, ...).
class Householder {
 public:
  // sign(k, R_kk) gives s_k.
  template <class Sign>
  Householder(Graph& g, const Matrix& A, std::size_t n, Sign&& sign) : g_(g), n_(n) {
    Matrix R = A;  // by column of A^T
    for (std::size_t k = 0; k < A.size(); ++k) {
      Vec w(n, g.zero());
      NodeId norm2 = g.zero();
      for (std::size_t j = k; j < n; ++j) {
        w[j] = R[k][j];
        norm2 = g.add(norm2, g.mul(w[j], w[j]));
      }
      const NodeId norm = g.unary(Op::sqrt, norm2), signed_norm = g.mul(sign(k, w[k]), norm);
      const NodeId beta = g.div(g.one(), g.add(norm2, g.mul(w[k], signed_norm)));
      w[k] = g.add(w[k], signed_norm);
      w_.push_back(std::move(w));
      beta_.push_back(beta);
      for (std::size_t c = k + 1; c < A.size(); ++c) R[c] = reflect(k, R[c]);
    }
  }

  // Column c of Q.
  [[nodiscard]] Vec column(std::size_t c) const {
    Vec x(n_, g_.zero());
    x[c] = g_.one();
    for (std::size_t k = w_.size(); k-- > 0;) x = reflect(k, std::move(x));
    return x;
  }

 private:
  [[nodiscard]] Vec reflect(std::size_t k, Vec x) const {
    const NodeId factor = g_.mul(beta_[k], dot(g_, w_[k], x));
    if (g_.is_constant(factor, 0.0)) return x;
    for (std::size_t j = k; j < n_; ++j) x[j] = g_.sub(x[j], g_.mul(w_[k][j], factor));
    return x;
  }

  Graph& g_;
  std::size_t n_;
  Matrix w_;
  Vec beta_;
};

// a(q) of L = v^T M v/2 + a.v - V, and V.
struct Parts {
  Vec a;
  NodeId V = 0;
  Vec Lq;  // L_q without the terms of a
};

Parts parts_of(Graph& g, const Mechanical& f) {
  const auto at_rest = [&](NodeId e) {
    return substitute(g, e, [&](NodeId leaf) { return g[leaf].space == kVelocity ? g.zero() : leaf; });
  };
  Parts out;
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

Reduced::Reduced(const Mechanical& f, bool differences) : n(f.n), free(f.n - f.m) {
  Graph& g = system.graph;
  g = f.graph;
  system.n = n + free;
  const Parts parts = parts_of(g, f);
  const Vec s = variables(g, kMultiplier, 0, f.m);
  const auto choose = [&](std::size_t, NodeId r) {
    choice.push_back(g.select(g.binary(Op::less, r, g.zero()), g.constant(-1.0), g.one()));
    return choice.back();
  };
  (void)Householder(g, f.K, at(n), choose);
  const Householder qr(g, f.K, at(n), [&](std::size_t k, NodeId) { return s[k]; });
  Matrix X;  // by column
  for (std::int32_t c = f.m; c < n; ++c) X.push_back(qr.column(at(c)));

  const Vec v = variables(g, kVelocity, 0, n);
  const auto times_mass = [&](const Vec& x) {
    Vec out;
    for (const Vec& row : f.Lvv) out.push_back(dot(g, row, x));
    return out;
  };
  const Vec Mv = times_mass(v);
  for (const Vec& column : X) rho.push_back(dot(g, column, Mv));

  // y = (X^T M X)^-1 rho. X is orthonormal, so a mass that is a multiple of the identity needs no factorisation.
  const Vec momenta = variables(g, kPosition, n, free);
  Vec y = momenta;
  bool round = f.mass.has_value();
  for (std::size_t i = 0; round && i < at(n); ++i)
    for (std::size_t j = 0; j < at(n); ++j) round = round && (*f.mass)[i * at(n) + j] == (i == j ? (*f.mass)[0] : 0.0);
  if (round) {
    for (NodeId& e : y) e = g.div(e, g.constant((*f.mass)[0]));
  } else {
    Matrix metric(at(free), Vec(at(free), g.zero()));
    for (std::size_t b = 0; b < X.size(); ++b) {
      const Vec MX = times_mass(X[b]);
      for (std::size_t a = b; a < X.size(); ++a) metric[a][b] = metric[b][a] = dot(g, X[a], MX);
    }
    y = SymbolicSolve(g, metric)(momenta);
  }
  for (std::size_t i = 0; i < at(n); ++i) {
    NodeId sum = g.zero();
    for (std::size_t a = 0; a < X.size(); ++a) sum = g.add(sum, g.mul(X[a][i], y[a]));
    velocity.push_back(sum);
  }
  const Vec p = times_mass(velocity);
  system.H = g.add(g.mul(g.constant(0.5), dot(g, momenta, y)), parts.V);

  // p.(d_i X_a), p held, by a and i.
  Matrix slopes;
  for (const Vec& column : X) {
    Vec row;
    if (differences) {
      const NodeId h = g.variable(kStepSize, 0);
      for (std::int32_t i = 0; i < n; ++i) {
        const auto moved = [&](NodeId by) {
          Vec q = variables(g, kPosition, 0, n);
          q[at(i)] = g.add(q[at(i)], by);
          return Point(g, g.variable(kTime, 0), q, {})(column);
        };
        const Vec ahead = moved(h), behind = moved(g.neg(h));
        Vec difference;
        for (std::size_t j = 0; j < ahead.size(); ++j) difference.push_back(g.sub(ahead[j], behind[j]));
        row.push_back(g.div(dot(g, p, difference), g.mul(g.constant(2.0), h)));
      }
    } else {
      const NodeId along = dot(g, variables(g, kFrozen, 0, n), column);
      for (const NodeId e : scalars(g, rattleback::gradient(g, along, kPosition), n))
        row.push_back(
            substitute(g, e, [&](NodeId leaf) { return g[leaf].space == kFrozen ? p[at(g[leaf].base())] : leaf; }));
    }
    slopes.push_back(std::move(row));
  }

  Point moving(g, g.variable(kTime, 0), {}, velocity);
  const Vec Lq = moving(parts.Lq);
  for (std::size_t i = 0; i < at(n); ++i) {
    NodeId sum = g.neg(Lq[i]);
    for (std::size_t a = 0; a < X.size(); ++a) sum = g.sub(sum, g.mul(y[a], slopes[a][i]));
    system.gradient.push_back(sum);
  }
  system.gradient.insert(system.gradient.end(), y.begin(), y.end());

  const Matrix da = rotation(g, parts.a);
  system.Pi.assign(at(system.n), Vec(at(system.n), g.zero()));
  for (std::size_t a = 0; a < X.size(); ++a) {
    const std::size_t row = at(n) + a;
    for (std::size_t i = 0; i < at(n); ++i) {
      system.Pi[i][row] = X[a][i];
      system.Pi[row][i] = g.neg(X[a][i]);
    }
    Vec turned;  // X_a^T da
    for (std::size_t j = 0; j < at(n); ++j) {
      Vec column;
      for (std::size_t i = 0; i < at(n); ++i) column.push_back(da[i][j]);
      turned.push_back(dot(g, X[a], column));
    }
    for (std::size_t b = a + 1; b < X.size(); ++b) {
      const NodeId c = g.add(g.sub(dot(g, slopes[a], X[b]), dot(g, slopes[b], X[a])), dot(g, turned, X[b]));
      system.Pi[row][at(n) + b] = c;
      system.Pi[at(n) + b][row] = g.neg(c);
    }
  }
  applied = f.applied;
  forced = any_force(g, f.applied);
  for (const Vec& column : X) force.push_back(dot(g, column, f.applied));
}

Canonical::Canonical(const Mechanical& f) : n(f.n), m(f.m), A(f.K), force(f.applied) {
  Graph& g = system.graph;
  g = f.graph;
  system.n = 2 * n;
  const Parts parts = parts_of(g, f);
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
