#include "support/long_mechanics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

#include "rattleback/simulate.hpp"

namespace rattleback::testing {
namespace {

constexpr Real kRankTolerance = 1e-13L;  // of scaled pivots: starts are consistent to 1e-16 only

Real norm(const Reals& x) {
  Real s = 0;
  for (const Real xi : x) s += xi * xi;
  return std::sqrt(s);
}

Real largest(const Reals& x) {
  Real s = 0;
  for (const Real xi : x) s = std::fmax(s, std::fabs(xi));
  return s;
}

// Some formula of a sparse list: entries that meet in one row add up.
template <class Visit>
void each(const Entries& entries, const Visit& visit) {
  for (const Entry& entry : entries) {
    if (entry.count != 0) throw std::logic_error("LongMechanics: the model has loops");
    visit(static_cast<std::size_t>(entry.row.base), entry.expr);
  }
}

}  // namespace

LongSolution solve_pivoted(std::vector<Reals> A, Reals b) {
  const std::size_t n = b.size();
  Reals column_scale(n, 1);
  for (int sweep = 0; sweep < 4; ++sweep) {  // rows and columns to about 1, by the square root of their largest entries
    for (std::size_t i = 0; i < n; ++i) {
      const Real s = largest(A[i]);
      if (s == 0) continue;
      const Real f = 1 / std::sqrt(s);
      for (Real& x : A[i]) x *= f;
      b[i] *= f;
    }
    for (std::size_t j = 0; j < n; ++j) {
      Real s = 0;
      for (std::size_t i = 0; i < n; ++i) s = std::fmax(s, std::fabs(A[i][j]));
      if (s == 0) continue;
      const Real f = 1 / std::sqrt(s);
      for (std::size_t i = 0; i < n; ++i) A[i][j] *= f;
      column_scale[j] *= f;
    }
  }
  std::vector<std::size_t> column(n);
  std::iota(column.begin(), column.end(), std::size_t{0});
  LongSolution out;
  std::size_t k = 0;
  for (; k < n; ++k) {
    std::size_t row = k, best = k;
    Real size = 0;
    for (std::size_t i = k; i < n; ++i)
      for (std::size_t j = k; j < n; ++j)
        if (std::fabs(A[i][column[j]]) > size) {
          size = std::fabs(A[i][column[j]]);
          row = i;
          best = j;
        }
    if (!(size > kRankTolerance)) break;
    out.smallest_pivot = size;
    std::swap(A[k], A[row]);
    std::swap(b[k], b[row]);
    std::swap(column[k], column[best]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const Real factor = A[i][column[k]] / A[k][column[k]];
      if (factor == 0) continue;
      for (std::size_t j = k; j < n; ++j) A[i][column[j]] -= factor * A[k][column[j]];
      b[i] -= factor * b[k];
    }
  }
  out.rank = static_cast<int>(k);
  for (std::size_t i = k; i < n; ++i) out.defect = std::fmax(out.defect, std::fabs(b[i]));
  out.x.assign(n, 0);
  for (std::size_t i = k; i-- > 0;) {
    Real s = b[i];
    for (std::size_t j = i + 1; j < k; ++j) s -= A[i][column[j]] * out.x[column[j]];
    out.x[column[i]] = s / A[i][column[i]];
  }
  for (std::size_t j = 0; j < n; ++j) out.x[j] *= column_scale[j];
  return out;
}

LeastNorm solve_least_norm(const std::vector<Reals>& A, const Reals& b) {
  // Rows by Gram and Schmidt, twice, the longest rest next: A = L Q with orthonormal rows of Q. Then the lower
  // trapezium L y = b by least squares (here: of its leading triangle, which is all there is when b is in the range).
  const std::size_t m = b.size(), n = m == 0 ? 0 : A[0].size();
  std::vector<Reals> rest = A, Q, L;  // L: rows as in `order`
  std::vector<std::size_t> order(m);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Reals size(m);
  for (std::size_t i = 0; i < m; ++i) size[i] = std::fmax(norm(A[i]), Real(1e-300L));
  std::vector<Reals> coefficients(m);
  LeastNorm out;
  out.x.assign(n, 0);
  std::size_t k = 0;
  for (; k < m; ++k) {
    std::size_t best = k;
    for (std::size_t i = k; i < m; ++i)
      if (norm(rest[order[i]]) / size[order[i]] > norm(rest[order[best]]) / size[order[best]]) best = i;
    if (!(norm(rest[order[best]]) > kRankTolerance * size[order[best]])) break;
    std::swap(order[k], order[best]);
    Reals direction = rest[order[k]];
    for (const Reals& q : Q) {
      const Real s = std::inner_product(q.begin(), q.end(), direction.begin(), Real(0));
      for (std::size_t j = 0; j < n; ++j) direction[j] -= s * q[j];
    }
    const Real length = norm(direction);
    for (Real& x : direction) x /= length;
    for (std::size_t i = k; i < m; ++i) {
      Reals& r = rest[order[i]];
      const Real s = std::inner_product(direction.begin(), direction.end(), r.begin(), Real(0));
      for (std::size_t j = 0; j < n; ++j) r[j] -= s * direction[j];
    }
    Q.push_back(std::move(direction));
  }
  out.rank = static_cast<int>(k);
  Reals y(k);
  for (std::size_t i = 0; i < k; ++i) {
    const Reals& row = A[order[i]];
    Real s = b[order[i]];
    for (std::size_t j = 0; j < i; ++j) s -= y[j] * std::inner_product(row.begin(), row.end(), Q[j].begin(), Real(0));
    y[i] = s / std::inner_product(row.begin(), row.end(), Q[i].begin(), Real(0));
    for (std::size_t j = 0; j < n; ++j) out.x[j] += y[i] * Q[i][j];
  }
  return out;
}

LongMechanics::LongMechanics(const Model& model)
    : model_(model), graph_(*model.graph), n_(model.coordinates.size()), m_(model.multiplier_count()) {
  if (model.kind != Kind::mechanical) throw std::logic_error("LongMechanics: not a mechanical model");
}

std::vector<Reals> LongMechanics::mass(const LongPoint& at) {
  std::vector<Reals> M(at.v.size(), Reals(at.v.size()));
  for (std::size_t j = 0; j < M.size(); ++j) {
    LongPoint one = zeros_like(at);
    one.v[j] = 1;
    const auto d = graph_.derivatives(model_.lagrangian, at, one);
    for (std::size_t i = 0; i < M.size(); ++i) M[i][j] = d.gradient_along.v[i];
  }
  return M;
}

Reals LongMechanics::correction(const LongPoint& at, const Rows& rows) {
  const std::size_t n = at.q.size(), m = rows.residual.size();
  const std::vector<Reals> M = mass(at);
  std::vector<Reals> A(n + m, Reals(n + m));
  Reals b(n + m);
  for (std::size_t i = 0; i < n; ++i) std::copy(M[i].begin(), M[i].end(), A[i].begin());
  for (std::size_t r = 0; r < m; ++r) {
    b[n + r] = -rows.residual[r];
    for (std::size_t j = 0; j < n; ++j) A[n + r][j] = A[j][n + r] = rows.K[r][j];
  }
  Reals x = solve_pivoted(std::move(A), std::move(b)).x;
  x.resize(n);
  return x;
}

LongMechanics::Rows LongMechanics::positions(Real t, const Reals& q) {
  const LongPoint at{t, q, Reals(q.size()), Reals(static_cast<std::size_t>(m_))};
  const auto m = static_cast<std::size_t>(model_.holonomic_names.size());
  Rows out{std::vector<Reals>(m, Reals(q.size())), Reals(m)};
  each(model_.holonomic, [&](std::size_t row, NodeId expr) {
    const auto d = graph_.derivatives(expr, at, zeros_like(at));
    out.residual[row] += d.value;
    for (std::size_t j = 0; j < q.size(); ++j) out.K[row][j] += d.gradient.q[j];
  });
  return out;
}

LongMechanics::Rows LongMechanics::velocities(Real t, const Reals& q, const Reals& v) {
  const LongPoint at{t, q, v, Reals(static_cast<std::size_t>(m_))};
  LongPoint flow = zeros_like(at);
  flow.t = 1;
  flow.q = v;
  const auto m = static_cast<std::size_t>(m_), first = static_cast<std::size_t>(model_.holonomic_names.size());
  Rows out{std::vector<Reals>(m, Reals(q.size())), Reals(m)};
  each(model_.holonomic, [&](std::size_t row, NodeId expr) {
    const auto d = graph_.derivatives(expr, at, flow);
    out.residual[row] += d.along;
    for (std::size_t j = 0; j < q.size(); ++j) out.K[row][j] += d.gradient.q[j];
  });
  each(model_.nonholonomic, [&](std::size_t row, NodeId expr) {
    const auto d = graph_.derivatives(expr, at, flow);
    out.residual[first + row] += d.value;
    for (std::size_t j = 0; j < q.size(); ++j) out.K[first + row][j] += d.gradient.v[j];
  });
  return out;
}

LongMechanics::Motion LongMechanics::motion(Real t, const Reals& q, const Reals& v) {
  const auto n = static_cast<std::size_t>(n_), m = static_cast<std::size_t>(m_);
  const auto first = static_cast<std::size_t>(model_.holonomic_names.size());
  LongPoint at{t, q, v, Reals(m)}, flow = zeros_like(at);
  flow.t = 1;
  flow.q = v;
  std::vector<Reals> A(n + m, Reals(n + m));
  Reals b(n + m), applied(n);
  const std::vector<Reals> M = mass(at);
  for (std::size_t i = 0; i < n; ++i) std::copy(M[i].begin(), M[i].end(), A[i].begin());
  const auto d = graph_.derivatives(model_.lagrangian, at, flow);
  for (std::size_t i = 0; i < n; ++i) applied[i] = d.gradient.q[i] - d.gradient_along.v[i];
  std::vector<Reals> K(m, Reals(n));
  each(model_.holonomic, [&](std::size_t row, NodeId expr) {
    const auto g = graph_.derivatives(expr, at, flow);
    b[n + row] -= g.gradient_along.t;
    for (std::size_t j = 0; j < n; ++j) {
      K[row][j] += g.gradient.q[j];
      b[n + row] -= g.gradient_along.q[j] * v[j];
    }
  });
  each(model_.nonholonomic, [&](std::size_t row, NodeId expr) {
    const auto k = graph_.derivatives(expr, at, flow);
    b[n + first + row] -= k.along;
    for (std::size_t j = 0; j < n; ++j) K[first + row][j] += k.gradient.v[j];
  });
  for (std::size_t r = 0; r < m; ++r)
    for (std::size_t j = 0; j < n; ++j) A[n + r][j] = K[r][j];
  // Forces may contain the multipliers, also nonlinearly: Newton in them, which is done at once where they are linear.
  const bool of_multipliers = depends_on(*model_.graph, model_.forces, kMultiplier);
  Motion out;
  out.multipliers.assign(m, 0);
  for (int iteration = 0; iteration < 60; ++iteration) {
    at.multipliers = out.multipliers;
    std::vector<Reals> slope(n, Reals(m));
    Reals force = applied;
    each(model_.forces, [&](std::size_t row, NodeId expr) {
      const auto f = graph_.derivatives(expr, at, zeros_like(at));
      force[row] += f.value;
      for (std::size_t r = 0; r < m; ++r) slope[row][r] += f.gradient.multipliers[r];
    });
    for (std::size_t i = 0; i < n; ++i) {
      b[i] = force[i];
      for (std::size_t r = 0; r < m; ++r) {
        A[i][n + r] = K[r][i] - slope[i][r];
        b[i] -= slope[i][r] * out.multipliers[r];
      }
    }
    LongSolution s = solve_pivoted(A, b);
    out.rank = s.rank;
    out.smallest_pivot = s.smallest_pivot;
    out.acceleration.assign(s.x.begin(), s.x.begin() + static_cast<std::ptrdiff_t>(n));
    Real change = 0, size = 1e-30L;
    for (std::size_t r = 0; r < m; ++r) {
      change = std::fmax(change, std::fabs(s.x[n + r] - out.multipliers[r]));
      size = std::fmax(size, std::fabs(s.x[n + r]));
      out.multipliers[r] = s.x[n + r];
    }
    if (!of_multipliers || change < 1e-17L * size) break;
  }
  if (out.rank < n_ + m_) {  // of all multipliers with this reaction, those of least norm
    std::vector<Reals> transposed(n, Reals(m));
    Reals reaction(n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t r = 0; r < m; ++r) {
        transposed[i][r] = K[r][i];
        reaction[i] += K[r][i] * out.multipliers[r];
      }
    out.multipliers = solve_least_norm(transposed, reaction).x;
  }
  return out;
}

LongMechanics::Values LongMechanics::values(Real t, const Reals& q, const Reals& v) {
  const LongPoint at{t, q, v, Reals(static_cast<std::size_t>(m_))};
  const auto d = graph_.derivatives(model_.lagrangian, at, zeros_like(at));
  Values out;
  out.energy = std::inner_product(v.begin(), v.end(), d.gradient.v.begin(), -d.value);
  out.energy_size = std::fabs(d.value);
  for (std::size_t i = 0; i < v.size(); ++i)
    out.energy_size = std::fmax(out.energy_size, std::fabs(v[i] * d.gradient.v[i]));
  out.position = largest(positions(t, q).residual);
  out.velocity = largest(velocities(t, q, v).residual);
  return out;
}

std::string with_consistent_start(const std::string& text) {
  const Model model = parse_model(text, "mechanism.toml", {.unroll_below = kLargestFamily});
  LongMechanics mechanics(model);
  Reals q = widened(model.q0), v = widened(model.v0);
  const auto solve = [&](Reals& x, const auto& rows_there, const auto& corrected) {
    Real residual = 0, last = INFINITY;
    for (int iteration = 0; iteration < 30; ++iteration) {
      const LongMechanics::Rows rows = rows_there();
      residual = largest(rows.residual);
      if (residual == 0 || (residual < 1e-14L && residual >= last / 2)) break;
      last = residual;
      const Reals change = corrected(rows);
      for (std::size_t j = 0; j < x.size(); ++j) x[j] = static_cast<double>(x[j] + change[j]);
    }
    if (!(residual < 1e-12L))
      throw std::runtime_error(fmt::format("no consistent start: {} is left", double(residual)));
  };
  solve(
      q, [&] { return mechanics.positions(0, q); },
      [&](LongMechanics::Rows rows) {
        for (Real& r : rows.residual) r = -r;
        return solve_least_norm(rows.K, rows.residual).x;
      });
  solve(
      v, [&] { return mechanics.velocities(0, q, v); },
      [&](const LongMechanics::Rows& rows) {
        return mechanics.correction({0, q, v, Reals(static_cast<std::size_t>(mechanics.constraints()))}, rows);
      });
  for (Reals* const x : {&q, &v}) {  // 1e-70 is 0
    const Real size = largest(*x);
    for (Real& y : *x)
      if (std::fabs(y) < 1e-15L * size) y = 0;
  }
  // The start's table is the last but for [run]: what it says of a name is said by the new lines.
  std::string out, initial = "[initial]\n";
  for (std::int32_t i = 0; i < model.coordinates.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    initial += fmt::format("\"{}\" = {}\n", model.coordinates[i], static_cast<double>(q[at]));
    if (v[at] != 0) initial += fmt::format("\"{}'\" = {}\n", model.coordinates[i], static_cast<double>(v[at]));
  }
  const std::size_t begin = text.find("[initial]\n");
  if (begin == std::string::npos) return text + initial;
  const std::size_t end = text.find("\n[", begin);
  return text.substr(0, begin) + initial + (end == std::string::npos ? "" : text.substr(end + 1));
}

}  // namespace rattleback::testing
