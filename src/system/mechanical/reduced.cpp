#include "system/mechanical/reduced.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "expr/evaluator.hpp"
#include "step/equations.hpp"
#include "system/point.hpp"
#include "system/symbolic_solve.hpp"

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
  // sign(k, R_kk, |R_k|) gives s_k.
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
      const NodeId norm = g.unary(Op::sqrt, norm2), signed_norm = g.mul(sign(k, w[k], norm), norm);
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

// Which m coordinates the frame of several constraints is built on: one-hot vectors, in the order of the coordinates. A pivoted
// Cholesky factorisation of the projector P = U U^T onto the span of the rows of A, which knows nothing of the rows
// themselves. The first coordinate that is nearly as good as the best is taken, so that equally good ones do not depend on
// rounding, and the choice does not change often.
Matrix anchors(Graph& g, const Matrix& A, Matrix U, std::size_t n) {
  constexpr double kNearlyAsGood = 0.37;  // of |P e|^2; no ratio that models are likely to have
  const std::size_t m = A.size();
  std::vector<std::size_t> candidates;
  for (std::size_t j = 0; j < n; ++j)
    if (std::any_of(A.begin(), A.end(), [&](const Vec& row) { return !g.is_constant(row[j], 0.0); }))
      candidates.push_back(j);
  Matrix out(m, Vec(n, g.zero()));
  if (candidates.size() <= m) {  // nothing to choose
    for (std::size_t k = 0; k < candidates.size(); ++k) out[k][candidates[k]] = g.one();
    return out;
  }
  const auto row_of = [&](std::size_t j) {
    Vec u;
    for (const Vec& column : U) u.push_back(column[j]);
    return u;
  };
  Vec chosen(n, g.zero());
  for (std::size_t k = 0; k < m; ++k) {
    Vec size(n, g.zero());
    NodeId largest = g.zero();
    for (const std::size_t j : candidates) {
      const Vec u = row_of(j);
      size[j] = dot(g, u, u);
      largest = g.select(g.binary(Op::less, largest, size[j]), size[j], largest);
    }
    const NodeId enough = g.mul(g.constant(kNearlyAsGood), largest);
    NodeId found = g.zero();
    Vec pivot(m, g.zero());
    for (const std::size_t j : candidates) {
      const NodeId good = g.select(g.binary(Op::less, enough, size[j]), g.one(), g.zero());
      const NodeId taken = g.mul(good, g.sub(g.one(), found));
      found = g.add(found, taken);
      chosen[j] = g.add(chosen[j], taken);
      for (std::size_t c = 0; c < m; ++c) pivot[c] = g.add(pivot[c], g.mul(taken, U[c][j]));
    }
    const NodeId pivot2 = dot(g, pivot, pivot);
    for (const std::size_t j : candidates) {
      const NodeId factor = g.div(dot(g, row_of(j), pivot), pivot2);
      for (std::size_t c = 0; c < m; ++c) U[c][j] = g.sub(U[c][j], g.mul(factor, pivot[c]));
    }
  }
  NodeId before = g.zero();  // how many of them have smaller numbers
  for (const std::size_t j : candidates) {
    for (std::size_t k = 0; k < m; ++k) {
      const auto number = static_cast<double>(k);
      const NodeId fits = g.mul(g.binary(Op::less, g.constant(number - 0.5), before),
                                g.binary(Op::less, before, g.constant(number + 0.5)));
      out[k][j] = g.mul(chosen[j], fits);
    }
    before = g.add(before, chosen[j]);
  }
  return out;
}

// Makes the rows orthonormal; false: they are dependent.
bool orthonormalise(std::vector<std::vector<double>>& rows) {
  const auto product = [](const std::vector<double>& x, const std::vector<double>& y) {
    double sum = 0.0;
    for (std::size_t j = 0; j < x.size(); ++j) sum += x[j] * y[j];
    return sum;
  };
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double before = product(rows[k], rows[k]);
    for (int twice = 0; twice < 2; ++twice)  // the second time for what rounding left
      for (std::size_t l = 0; l < k; ++l) {
        const double along = product(rows[k], rows[l]);
        for (std::size_t j = 0; j < rows[k].size(); ++j) rows[k][j] -= along * rows[l][j];
      }
    const double left = product(rows[k], rows[k]);
    if (!(left > 1e-20 * before)) return false;
    for (double& x : rows[k]) x /= std::sqrt(left);
  }
  return true;
}

// The same choice for a whole run, where it serves everywhere: from numbers, with the worst of many positions in place of the
// value at one. Positions are the start and others around it, spread as far as angles go. Nothing: each step must choose.
std::optional<std::vector<std::size_t>> lasting_anchors(const Graph& g, const Matrix& A,
                                                        std::span<const double> start) {
  constexpr double kNearlyAsGood = 0.37, kServes = 0.1;  // of |P e|^2, less what is chosen already
  constexpr int kPositions = 64;
  constexpr double kSpread = 4.0;
  const std::size_t m = A.size(), n = start.size();
  Vec entries;
  for (const Vec& row : A) entries.insert(entries.end(), row.begin(), row.end());
  Evaluator evaluate(g, entries, static_cast<std::int32_t>(n), 0);
  std::vector<std::vector<std::vector<double>>> spans;  // orthonormal rows, by position
  std::vector<double> q(start.begin(), start.end());
  std::uint64_t state = 1;  // a linear congruential generator
  for (int k = 0; k < kPositions; ++k) {
    const auto values = evaluate(0.0, q);
    for (std::size_t i = 0; i < n; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      q[i] = start[i] + kSpread * (static_cast<double>(state >> 11U) * 0x1p-52 - 1.0);
    }
    if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); })) continue;
    std::vector<std::vector<double>>& rows = spans.emplace_back();
    for (std::size_t c = 0; c < m; ++c) rows.emplace_back(values.begin() + c * n, values.begin() + (c + 1) * n);
    if (!orthonormalise(rows)) return std::nullopt;
  }
  std::vector<std::size_t> chosen;
  for (std::size_t k = 0; k < m; ++k) {
    std::vector<double> worst(n, 1.0);
    for (const auto& rows : spans)
      for (std::size_t j = 0; j < n; ++j) {
        double size = 0.0;
        for (const std::vector<double>& row : rows) size += row[j] * row[j];
        worst[j] = std::fmin(worst[j], size);
      }
    const double best = *std::max_element(worst.begin(), worst.end());
    if (spans.empty() || !(best > kServes)) return std::nullopt;
    std::size_t j = 0;
    while (!(worst[j] > std::fmax(kNearlyAsGood * best, kServes))) ++j;
    chosen.push_back(j);
    for (auto& rows : spans) {  // what is left of the span when the part along this coordinate is taken out
      std::vector<double> pivot;
      double size = 0.0;
      for (const std::vector<double>& row : rows) {
        pivot.push_back(row[j]);
        size += row[j] * row[j];
      }
      for (std::size_t i = 0; i < n; ++i) {
        double along = 0.0;
        for (std::size_t c = 0; c < m; ++c) along += rows[c][i] * pivot[c];
        for (std::size_t c = 0; c < m; ++c) rows[c][i] -= along / size * pivot[c];
      }
    }
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

// The basis of the span of the rows of A that is the identity at the given coordinates: A_I^-1 A. Nothing else can be, so it
// knows the span only. A_I is inverted through A_I^T A_I, which needs no pivots.
Matrix basis_at(Graph& g, const Matrix& A, const Matrix& places) {
  const std::size_t m = A.size(), n = A[0].size();
  Matrix at_places(m, Vec(m, g.zero())), square = at_places, out(m, Vec(n, g.zero()));
  for (std::size_t k = 0; k < m; ++k)
    for (std::size_t c = 0; c < m; ++c) at_places[k][c] = dot(g, places[k], A[c]);
  for (std::size_t k = 0; k < m; ++k)
    for (std::size_t l = 0; l < m; ++l) square[k][l] = dot(g, at_places[k], at_places[l]);
  const SymbolicSolve solve(g, square);
  for (std::size_t j = 0; j < n; ++j) {
    Vec column, right;
    for (const Vec& row : A) column.push_back(row[j]);
    for (const Vec& row : at_places) right.push_back(dot(g, row, column));
    const Vec x = solve(right);
    for (std::size_t k = 0; k < m; ++k) out[k][j] = x[k];
  }
  return out;
}

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

Reduced::Reduced(const Mechanical& f, std::span<const double> start, bool differences) : n(f.n), free(f.n - f.m) {
  Graph& g = system.graph;
  g = f.graph;
  system.n = n + free;
  const Parts parts = parts_of(g, f);
  const Vec s = variables(g, kMultiplier, 0, f.m);
  const auto choose = [&](std::size_t, NodeId r, NodeId) {
    return g.select(g.binary(Op::less, r, g.zero()), g.constant(-1.0), g.one());
  };
  // Of several constraints R_kk is often 0, and then its sign is that of the rounding, which knows how they are written. So
  // the sign changes elsewhere, at a ratio that models are not likely to have; any that is not near -1 is as safe.
  const auto choose_off_zero = [&](std::size_t, NodeId r, NodeId norm) {
    constexpr double kRatio = -0.137;
    return g.select(g.binary(Op::less, r, g.mul(g.constant(kRatio), norm)), g.constant(-1.0), g.one());
  };
  const auto keep = [&](auto&& sign) {
    return [&, sign](std::size_t k, NodeId r, NodeId norm) {
      choice.push_back(sign(k, r, norm));
      return choice.back();
    };
  };
  Matrix X;  // by column
  const auto last_columns = [&](const Matrix& A, auto&& sign) {
    const Householder qr(g, A, at(n), sign);
    for (std::int32_t c = f.m; c < n; ++c) X.push_back(qr.column(at(c)));
  };
  const auto kept_sign = [&](std::size_t k, NodeId, NodeId) { return s[k]; };
  // With a single free direction X is a unit vector, the same for all constraints with this span.
  const bool several = f.m > 1 && free > 1;
  if (const auto chosen = several ? lasting_anchors(g, f.K, start) : std::nullopt) {
    // These coordinates come first. There the rows are the unit vectors, also after the reflections: no sign is to be chosen.
    std::vector<std::size_t> order = *chosen;
    for (std::size_t j = 0; j < at(n); ++j)
      if (std::find(chosen->begin(), chosen->end(), j) == chosen->end()) order.push_back(j);
    Matrix places(at(f.m), Vec(at(n), g.zero()));
    for (std::size_t k = 0; k < chosen->size(); ++k) places[k][(*chosen)[k]] = g.one();
    Matrix A = basis_at(g, f.K, places);
    for (std::size_t k = 0; k < A.size(); ++k) {
      const Vec row = A[k];
      for (std::size_t j = 0; j < at(n); ++j)
        A[k][j] = j < chosen->size() ? (j == k ? g.one() : g.zero()) : row[order[j]];
    }
    last_columns(A, [&](std::size_t, NodeId, NodeId) { return g.one(); });
    for (Vec& column : X) {
      const Vec moved = column;
      for (std::size_t j = 0; j < at(n); ++j) column[order[j]] = moved[j];
    }
  } else if (several) {
    const Householder given(g, f.K, at(n), choose);
    Matrix U;
    for (std::int32_t c = 0; c < f.m; ++c) U.push_back(given.column(at(c)));
    Matrix places = anchors(g, f.K, std::move(U), at(n));
    (void)Householder(g, basis_at(g, f.K, places), at(n), keep(choose_off_zero));
    for (Vec& place : places)
      for (NodeId& e : place)
        if (!g.is_constant(e)) {
          choice.push_back(e);
          e = g.variable(kMultiplier, static_cast<std::int32_t>(choice.size()) - 1);
        }
    last_columns(basis_at(g, f.K, places), kept_sign);
  } else {
    (void)Householder(g, f.K, at(n), keep(choose));
    last_columns(f.K, kept_sign);
  }

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
