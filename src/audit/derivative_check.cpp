#include "audit/derivative_check.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <random>

#include "expr/evaluate_exactly.hpp"
#include "formulation/evaluator.hpp"

namespace rattleback {
namespace {

constexpr double kTime0 = 0.1;
constexpr int kPoints = 4;  // the start, and some near it
// Above so many values of nodes a point takes too long in long double.
constexpr std::int64_t kMostExact = 20'000;

// All functions of one space, one below the other.
struct Stack {
  Entries value, derivative;
  std::vector<std::int32_t> first;  // row of each function, and the end
};

Stack stacked(std::span<const DerivativePair> pairs, Space space) {
  Stack out;
  out.first.push_back(0);
  for (const DerivativePair& p : pairs) {
    if (p.space != space || p.rows == 0 || p.value.empty()) continue;
    const auto put = [&](const Entries& from, Entries& to) {
      for (Entry e : from) {
        e.row.base += out.first.back();
        to.push_back(e);
      }
    };
    put(p.value, out.value);
    put(p.derivative, out.derivative);
    out.first.push_back(out.first.back() + p.rows);
  }
  return out;
}

std::int64_t work(const Graph& g, const Entries& entries) {
  std::vector<NodeId> roots;
  for (const Entry& e : entries) roots.push_back(e.expr);
  std::int64_t values = 0;
  for (const NodeId id : reachable(g, roots)) values += std::max<std::int64_t>(1, g[id].count);
  return values;
}

template <class T>
using Function = std::function<std::vector<T>(const std::vector<T>& q, const std::vector<T>& v)>;

// What differences say of a derivative: an estimate for each row, and how far it can be trusted.
template <class T>
struct Differences {
  std::vector<T> estimate, doubt;
};

// Central differences with steps that become smaller, extrapolated to zero (Neville, Ridders 1982); of all estimates the one
// that agrees best with its neighbours. `f` is a function of the step along the direction.
template <class T>
Differences<T> differences(const std::function<std::vector<T>(T)>& f, const std::vector<T>& middle, T first, T shrink,
                           int sizes) {
  const std::size_t rows = middle.size();
  const T far = std::numeric_limits<T>::infinity();
  Differences<T> out{std::vector<T>(rows, T(0)), std::vector<T>(rows, far)};
  std::vector<std::vector<T>> before, bends;
  for (int k = 0; k < sizes; ++k) {
    const T h = first * std::pow(shrink, T(k));
    const std::vector<T> plus = f(h), minus = f(-h);
    std::vector<std::vector<T>> now(static_cast<std::size_t>(k) + 1, std::vector<T>(rows));
    std::vector<T> bend(rows);
    T factor = T(1);
    for (std::size_t i = 0; i < rows; ++i) {
      now[0][i] = (plus[i] - minus[i]) / (2 * h);
      bend[i] = ((plus[i] - middle[i]) - (middle[i] - minus[i])) / h;  // of the slopes on both sides
    }
    for (std::size_t j = 1; j < now.size(); ++j) {
      factor /= shrink * shrink;
      for (std::size_t i = 0; i < rows; ++i) {
        now[j][i] = now[j - 1][i] + (now[j - 1][i] - before[j - 1][i]) / (factor - 1);
        const T rounding = std::numeric_limits<T>::epsilon() * std::fmax(std::fabs(plus[i]), std::fabs(minus[i])) / h;
        const T doubt =
            rounding + std::fmax(std::fabs(now[j][i] - now[j - 1][i]), std::fabs(now[j][i] - before[j - 1][i]));
        if (doubt < out.doubt[i]) {
          out.doubt[i] = doubt;
          out.estimate[i] = now[j][i];
        }
      }
    }
    before = std::move(now);
    bends.push_back(std::move(bend));
  }
  // A kink: the bend does not vanish with the step.
  for (std::size_t i = 0; i < rows; ++i) {
    const T last = bends.back()[i], older = bends[bends.size() - 2][i];
    out.doubt[i] += std::fabs(last - (older - last) * shrink / (1 - shrink));
  }
  return out;
}

// How far a coordinate may be moved: as far as it is from zero, or as the others are, and at most 1.
std::vector<double> scales(const std::vector<double>& x) {
  double largest = 0.0;
  for (const double e : x) largest = std::fmax(largest, std::fabs(e));
  std::vector<double> out;
  out.reserve(x.size());
  for (const double e : x)
    out.push_back(largest == 0.0 ? 1.0 : std::fmin(1.0, e == 0.0 ? largest : std::fmax(std::fabs(e), 1e-3 * largest)));
  return out;
}

template <class T>
double worst_at(const Stack& s, const Function<T>& f, const Function<T>& df, bool positions, const std::vector<T>& q,
                const std::vector<T>& v, const std::vector<T>& direction) {
  constexpr bool kExact = std::numeric_limits<T>::digits > 60;
  const std::vector<T> exact = df(q, v), middle = f(q, v);
  const auto along = [&](T h) {
    std::vector<T> qq = q, vv = v;
    std::vector<T>& moved = positions ? qq : vv;
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += h * direction[i];
    return f(qq, vv);
  };
  const Differences<T> d = differences<T>(along, middle, T(1e-2), T(kExact ? 0.2 : 0.25), kExact ? 7 : 4);
  double worst = 0.0;
  for (std::size_t k = 0; k + 1 < s.first.size(); ++k) {
    T size = T(1e-300), value = T(0), error = T(0);
    for (auto i = static_cast<std::size_t>(s.first[k]); i < static_cast<std::size_t>(s.first[k + 1]); ++i) {
      if (!std::isfinite(exact[i]) || !std::isfinite(d.estimate[i]) || !std::isfinite(d.doubt[i])) continue;
      size = std::fmax(size, std::fmax(std::fabs(exact[i]), std::fabs(d.estimate[i])));
      value = std::fmax(value, std::fabs(middle[i]));
      // A doubt is itself an estimate, of the larger of two errors.
      error = std::fmax(error, std::fabs(exact[i] - d.estimate[i]) - 8 * d.doubt[i]);
    }
    // Derivatives that are nothing beside the function are not worth comparing.
    worst = std::fmax(worst, static_cast<double>(error / std::fmax(size, T(1e-10) * value)));
  }
  return worst;
}

// Entries multiplied by the direction, so that nothing larger than a vector is ever formed.
Entries applied(Graph& g, Entries jacobian) {
  for (Entry& e : jacobian) {
    e.expr = g.mul(e.expr, g.variable(kMultiplier, e.col.base, e.col.stride, e.count));
    e.col = {};
  }
  return jacobian;
}

// The direction stands where multipliers do, so those take their starting values (families: none, which stays out).
Entries at_start_multipliers(Graph& g, const Entries& r, const std::vector<double>& psi) {
  Entries out;
  for (Entry e : r) {
    if (e.count != 0 && depends_on(g, std::span(&e.expr, 1), kMultiplier)) continue;
    e.expr = substitute(g, e.expr, [&](NodeId leaf) {
      return g[leaf].space == kMultiplier ? g.constant(psi[static_cast<std::size_t>(g[leaf].base())]) : leaf;
    });
    out.push_back(e);
  }
  return out;
}

}  // namespace

DerivativePair derivative_pair(Graph& g, Entries value, std::int32_t rows, Space space) {
  DerivativePair p;
  p.rows = rows;
  p.space = space;
  p.derivative = applied(g, jacobian(g, value, space));
  p.value = std::move(value);
  return p;
}

double derivative_error(const Graph& g, std::span<const DerivativePair> pairs, const std::vector<double>& q0,
                        const std::vector<double>& v0) {
  const auto wide = static_cast<std::int32_t>(std::max(q0.size(), v0.size()));  // an odae may have more velocities
  std::mt19937_64 random(7);
  // Uniform in (-1.7, 1.7), variance 1, straight from the bits: the library's distributions take most of the time for
  // 10^5 coordinates, and give other numbers with another library.
  const auto spread = [&random] { return (static_cast<double>(random() >> 11U) * 0x1p-52 - 1.0) * 1.7320508; };
  const std::vector<double> q_scale = scales(q0), v_scale = scales(v0);
  double worst = 0.0;
  for (const Space space : {kPosition, kVelocity}) {
    const Stack s = stacked(pairs, space);
    const std::int32_t rows = s.first.back();
    if (rows == 0) continue;
    const bool exactly = work(g, s.value) + work(g, s.derivative) <= kMostExact;
    std::optional<Evaluator> value, derivative;
    if (!exactly) {
      value.emplace(g, s.value, rows, wide, wide);
      derivative.emplace(g, s.derivative, rows, wide, wide);
    }
    for (int point = 0; point < kPoints; ++point) {
      std::vector<double> q = q0, v = v0;
      if (point > 0) {
        for (std::size_t i = 0; i < q.size(); ++i) q[i] += 0.1 * q_scale[i] * spread();
        for (std::size_t i = 0; i < v.size(); ++i) v[i] += 0.1 * v_scale[i] * spread();
      }
      std::vector<double> direction = space == kPosition ? q_scale : v_scale;
      for (double& x : direction) x *= spread();
      const auto wider = [](const std::vector<double>& x) { return std::vector<long double>(x.begin(), x.end()); };
      using Vector = std::vector<long double>;
      const auto exact = [&](const Entries& entries, const Vector& at_q, const Vector& at_v) {
        return exact_values<long double>(g, kTime0, at_q, at_v, wider(direction)).vector(entries, rows);
      };
      const auto quick = [&](Evaluator& f, const std::vector<double>& at_q, const std::vector<double>& at_v) {
        const auto out = f(kTime0, at_q, at_v, direction);
        return std::vector<double>(out.begin(), out.end());
      };
      const double here = exactly ? worst_at<long double>(
                                        s, [&](const Vector& a, const Vector& b) { return exact(s.value, a, b); },
                                        [&](const Vector& a, const Vector& b) { return exact(s.derivative, a, b); },
                                        space == kPosition, wider(q), wider(v), wider(direction))
                                  : worst_at<double>(
                                        s, [&](const auto& a, const auto& b) { return quick(*value, a, b); },
                                        [&](const auto& a, const auto& b) { return quick(*derivative, a, b); },
                                        space == kPosition, q, v, direction);
      worst = std::fmax(worst, here);
    }
  }
  return worst;
}

double derivative_error(const Model& model) {
  Graph g = *model.graph;
  const std::int32_t n = model.coordinates.size();
  std::vector<DerivativePair> pairs;
  if (model.kind == Kind::mechanical) {
    const Entries L = {{model.lagrangian, 0, {}, {}}};
    const Entries p = gradient(g, model.lagrangian, kVelocity), Lq = gradient(g, model.lagrangian, kPosition);
    for (const Space space : {kPosition, kVelocity}) {
      pairs.push_back(derivative_pair(g, L, 1, space));
      pairs.push_back(derivative_pair(g, p, n, space));
      pairs.push_back(derivative_pair(g, Lq, n, space));
      pairs.push_back(derivative_pair(g, model.nonholonomic, model.nonholonomic_names.size(), space));
      pairs.push_back(derivative_pair(g, model.holonomic, model.holonomic_names.size(), space));
    }
  } else if (model.kind == Kind::odae) {
    const OdaeParts& o = model.odae;
    const std::int32_t nz = o.velocities.size();
    pairs.push_back(derivative_pair(g, model.constraints, model.algebraic.size(), kPosition));
    for (const Space space : {kPosition, kVelocity}) {
      pairs.push_back(derivative_pair(g, o.v, n, space));
      pairs.push_back(derivative_pair(g, o.f, nz, space));
      pairs.push_back(derivative_pair(g, at_start_multipliers(g, o.r, model.z0), nz, space));
    }
  } else if (model.has_states()) {
    const Entries H = {{model.hamiltonian, 0, {}, {}}};
    pairs.push_back(derivative_pair(g, H, 1, kPosition));
    pairs.push_back(derivative_pair(g, gradient(g, model.hamiltonian, kPosition), n, kPosition));
    pairs.push_back(derivative_pair(g, model.ph.z, n, kPosition));
  } else {
    pairs.push_back(derivative_pair(g, model.constraints, model.algebraic.size(), kPosition));
    for (const Entries& part : model.parts)
      if (!depends_on(g, part, kMultiplier)) pairs.push_back(derivative_pair(g, part, n, kPosition));
  }
  return derivative_error(g, pairs, model.q0, model.v0);
}

}  // namespace rattleback
