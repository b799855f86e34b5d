#include "system/mechanical/free_directions.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "expr/evaluator.hpp"
#include "system/point.hpp"
#include "system/symbolic_solve.hpp"

namespace rattleback {

namespace {

using Matrix = std::vector<Vec>;

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

// The sign of a reflection, so that nothing cancels.
NodeId away_from_zero(Graph& g, NodeId r) {
  return g.select(g.binary(Op::less, r, g.zero()), g.constant(-1.0), g.one());
}

// Of several constraints R_kk is often 0, and then its sign is that of the rounding, which knows how they are written. So
// the sign changes elsewhere, at a ratio that models are not likely to have; any that is not near -1 is as safe.
NodeId off_zero(Graph& g, NodeId r, NodeId norm) {
  constexpr double kRatio = -0.137;
  return g.select(g.binary(Op::less, r, g.mul(g.constant(kRatio), norm)), g.constant(-1.0), g.one());
}

class FreeDirections {
 public:
  FreeDirections(Graph& g, const Mechanical& f, Vec& choice)
      : g_(g), f_(f), n_(at(f.n)), choice_(choice), chosen_(variables(g, kMultiplier, 0, f.m)) {}

  Matrix basis(std::span<const double> start) {
    // With a single free direction X is a unit vector, the same for all constraints with this span.
    const bool several = f_.m > 1 && f_.n - f_.m > 1;
    if (const auto lasting = several ? lasting_anchors(g_, f_.K, start) : std::nullopt)
      at_lasting_anchors(*lasting);
    else if (several)
      at_anchors();
    else
      as_given();
    return std::move(X_);
  }

 private:
  void last_columns(const Matrix& A, auto&& sign) {
    const Householder qr(g_, A, n_, sign);
    for (std::int32_t c = f_.m; c < f_.n; ++c) X_.push_back(qr.column(at(c)));
  }
  auto keep(auto&& sign) {
    return [this, sign](std::size_t, NodeId r, NodeId norm) {
      choice_.push_back(sign(r, norm));
      return choice_.back();
    };
  }
  [[nodiscard]] auto kept_sign() const {
    return [this](std::size_t k, NodeId, NodeId) { return chosen_[k]; };
  }

  // These coordinates come first. There the rows are the unit vectors, also after the reflections: no sign is to be chosen.
  void at_lasting_anchors(const std::vector<std::size_t>& lasting) {
    std::vector<std::size_t> order = lasting;
    for (std::size_t j = 0; j < n_; ++j)
      if (std::find(lasting.begin(), lasting.end(), j) == lasting.end()) order.push_back(j);
    Matrix places(at(f_.m), Vec(n_, g_.zero()));
    for (std::size_t k = 0; k < lasting.size(); ++k) places[k][lasting[k]] = g_.one();
    Matrix A = basis_at(g_, f_.K, places);
    for (std::size_t k = 0; k < A.size(); ++k) {
      const Vec row = A[k];
      for (std::size_t j = 0; j < n_; ++j)
        A[k][j] = j < lasting.size() ? (j == k ? g_.one() : g_.zero()) : row[order[j]];
    }
    last_columns(A, [&](std::size_t, NodeId, NodeId) { return g_.one(); });
    for (Vec& column : X_) {
      const Vec moved = column;
      for (std::size_t j = 0; j < n_; ++j) column[order[j]] = moved[j];
    }
  }

  void at_anchors() {
    const auto sign = [&](std::size_t, NodeId r, NodeId) { return away_from_zero(g_, r); };
    const Householder given(g_, f_.K, n_, sign);
    Matrix U;
    for (std::int32_t c = 0; c < f_.m; ++c) U.push_back(given.column(at(c)));
    Matrix places = anchors(g_, f_.K, std::move(U), n_);
    (void)Householder(g_, basis_at(g_, f_.K, places), n_,
                      keep([&](NodeId r, NodeId norm) { return off_zero(g_, r, norm); }));
    for (Vec& place : places)
      for (NodeId& e : place)
        if (!g_.is_constant(e)) {
          choice_.push_back(e);
          e = g_.variable(kMultiplier, static_cast<std::int32_t>(choice_.size()) - 1);
        }
    last_columns(basis_at(g_, f_.K, places), kept_sign());
  }

  void as_given() {
    (void)Householder(g_, f_.K, n_, keep([&](NodeId r, NodeId) { return away_from_zero(g_, r); }));
    last_columns(f_.K, kept_sign());
  }

  Graph& g_;
  const Mechanical& f_;
  std::size_t n_;
  Vec& choice_;
  Vec chosen_;
  Matrix X_;
};

}  // namespace

Matrix free_directions(Graph& g, const Mechanical& f, std::span<const double> start, Vec& choice) {
  return FreeDirections(g, f, choice).basis(start);
}

}  // namespace rattleback
