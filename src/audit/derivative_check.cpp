#include "audit/derivative_check.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <random>

#include "expr/evaluate_exactly.hpp"
#include "expr/evaluator.hpp"

namespace rattleback {
namespace {

constexpr double kTime0 = 0.1;
constexpr int kPoints = 4;  // the start, and some near it
// Above so many values of nodes a point takes too long in long double.
constexpr std::int64_t kMostExact = 20'000;

constexpr double kSettled = 1e-2;  // doubts above that, relative to an estimate, decide nothing
constexpr double kSame = 1e-7;     // no doubt that a derivative is right

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

// Step sizes. Powers of two along short directions move coordinates exactly, so that only the function rounds.
struct Ladder {
  int sizes;
  bool to_rounding;  // the last differences are rounding, and tell how large that is
};
constexpr double kFirst = 0x1p-7, kShrink = 0.25;
constexpr int kColumns = 7;

// Central differences with steps that become smaller, extrapolated to zero (Neville, Ridders 1982); of all estimates the one
// that agrees best with its neighbours, and with the differences of all smaller steps: steps that are longer than what
// the function does there agree with each other by chance. `f` is a function of the step along the direction.
template <class T>
Differences<T> differences(const std::function<std::vector<T>(T)>& f, const std::vector<T>& middle,
                           const Ladder& ladder) {
  const auto sizes = static_cast<std::size_t>(ladder.sizes);
  const std::size_t rows = middle.size();
  std::vector<T> steps;
  std::vector<std::vector<T>> plus, minus;
  for (std::size_t k = 0; k < sizes; ++k) {
    steps.push_back(T(kFirst) * std::pow(T(kShrink), static_cast<T>(k)));
    plus.push_back(f(steps[k]));
    minus.push_back(f(-steps[k]));
  }
  const T far = std::numeric_limits<T>::infinity();
  Differences<T> out{std::vector<T>(rows, T(0)), std::vector<T>(rows, far)};
  std::vector<T> slope(sizes), bend(sizes), noise(sizes), now, before;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < sizes; ++k) {
      const T h = steps[k], p = plus[k][i], m = minus[k][i];
      slope[k] = (p - m) / (2 * h);
      bend[k] = ((p - middle[i]) - (middle[i] - m)) / h;  // of the slopes on both sides
      noise[k] = std::numeric_limits<T>::epsilon() * std::fmax(std::fabs(p), std::fabs(m)) / h;
    }
    if (ladder.to_rounding) {
      T rounding = T(0);
      for (std::size_t k = sizes - 4; k < sizes; ++k)
        rounding = std::fmax(rounding, std::fabs(slope[k] - slope[k - 1]) * steps[k]);
      for (std::size_t k = 0; k < sizes; ++k) noise[k] += rounding / steps[k];
    }
    T kink = far;  // the bend does not vanish with the step
    for (std::size_t k = 1; k < sizes; ++k)
      kink = std::fmin(kink, std::fabs(bend[k] - (bend[k - 1] - bend[k]) * T(kShrink / (1 - kShrink))) + 2 * noise[k]);
    before.clear();
    for (std::size_t k = 0; k < sizes; ++k) {
      now.assign(1, slope[k]);
      T factor = T(1);
      for (std::size_t j = 1; j <= before.size() && j < kColumns; ++j) {
        factor /= T(kShrink * kShrink);
        now.push_back(now[j - 1] + (now[j - 1] - before[j - 1]) / (factor - 1));
        T doubt = noise[k] + std::fmax(std::fabs(now[j] - now[j - 1]), std::fabs(now[j] - before[j - 1]));
        for (std::size_t l = k + 1; l < sizes && doubt < out.doubt[i]; ++l) {
          const T shorter = steps[l] / steps[k];
          const T expected = 4 * (noise[l] + std::fabs(slope[k] - now[j]) * shorter * shorter);
          const T left = std::fabs(slope[l] - now[j]) - expected;
          doubt = std::isnan(left) ? far : std::fmax(doubt, left);
        }
        if (doubt < out.doubt[i]) {
          out.doubt[i] = doubt;
          out.estimate[i] = now[j];
        }
      }
      std::swap(before, now);
    }
    out.doubt[i] += kink;
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

// To 16 bits.
double shortened(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::round(std::ldexp(fraction, 16)), exponent - 16);
}

// Rows of differences that agree with the derivative, differ from it, or decide nothing.
template <class T>
DerivativeComparison compared(const Stack& s, const std::vector<T>& exact, const std::vector<T>& middle,
                              const Differences<T>& d) {
  DerivativeComparison out;
  for (std::size_t k = 0; k + 1 < s.first.size(); ++k) {
    const auto begin = static_cast<std::size_t>(s.first[k]), end = static_cast<std::size_t>(s.first[k + 1]);
    T size = T(1e-300), value = T(0), error = T(0);
    for (std::size_t i = begin; i < end; ++i) {
      if (!std::isfinite(exact[i]) || !std::isfinite(d.estimate[i]) || !std::isfinite(d.doubt[i])) continue;
      size = std::fmax(size, std::fabs(exact[i]));
      value = std::fmax(value, std::fabs(middle[i]));
    }
    // Derivatives that are nothing beside the function are not worth comparing.
    const T least = T(1e-10) * value;
    for (std::size_t i = begin; i < end; ++i) {
      if (!std::isfinite(exact[i])) continue;
      // A doubt is itself an estimate, of the larger of two errors; a large one is an estimate of nothing.
      const T own = std::fmax(std::fabs(exact[i]), std::fabs(d.estimate[i])), doubt = 8 * d.doubt[i];
      if (!(doubt <= std::fmax(T(kSettled) * std::fabs(d.estimate[i]), least))) {
        ++out.undecided;
        continue;
      }
      ++out.decided;
      const T difference = std::fabs(exact[i] - d.estimate[i]);
      size = std::fmax(size, own);
      error = std::fmax(error, difference - doubt);
      if (difference + doubt > std::fmax(T(kSame) * size, least)) out.clear = false;
    }
    out.error = std::fmax(out.error, static_cast<double>(error / std::fmax(size, least)));
  }
  out.clear = out.clear && out.undecided == 0;
  return out;
}

template <class T>
DerivativeComparison compare_at(const Stack& s, const Function<T>& f, const Function<T>& df, bool positions,
                                const std::vector<T>& q, const std::vector<T>& v, const std::vector<T>& direction) {
  constexpr bool kExact = std::numeric_limits<T>::digits > 60;
  const std::vector<T> exact = df(q, v), middle = f(q, v);
  const auto along = [&](T h) {
    std::vector<T> qq = q, vv = v;
    std::vector<T>& moved = positions ? qq : vv;
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += h * direction[i];
    return f(qq, vv);
  };
  // Few steps do for most functions. In double, where coordinates round, too, and there are many rows, smaller steps are
  // only a second opinion on what differs.
  DerivativeComparison quick = compared(s, exact, middle, differences<T>(along, middle, {kExact ? 7 : 4, false}));
  if (kExact ? quick.clear : quick.error <= kSame) return quick;
  const DerivativeComparison deep = compared(s, exact, middle, differences<T>(along, middle, {kExact ? 20 : 12, true}));
  if (kExact) return deep;
  quick.error = std::fmin(quick.error, deep.error);
  return quick;
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

DerivativeComparison compare_derivatives(const Graph& g, std::span<const DerivativePair> pairs,
                                         const std::vector<double>& q0, const std::vector<double>& v0) {
  const auto wide = static_cast<std::int32_t>(std::max(q0.size(), v0.size()));  // an odae may have more velocities
  std::mt19937_64 random(7);
  // Uniform in (-1.7, 1.7), variance 1, straight from the bits: the library's distributions take most of the time for
  // 10^5 coordinates, and give other numbers with another library.
  const auto spread = [&random] { return (static_cast<double>(random() >> 11U) * 0x1p-52 - 1.0) * 1.7320508; };
  const std::vector<double> q_scale = scales(q0), v_scale = scales(v0);
  DerivativeComparison out;
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
      for (double& x : direction) x = shortened(x * spread());
      const auto wider = [](const std::vector<double>& x) { return std::vector<long double>(x.begin(), x.end()); };
      using Vector = std::vector<long double>;
      const auto exact = [&](const Entries& entries, const Vector& at_q, const Vector& at_v) {
        return exact_values<long double>(g, kTime0, at_q, at_v, wider(direction)).vector(entries, rows);
      };
      const auto quick = [&](Evaluator& f, const std::vector<double>& at_q, const std::vector<double>& at_v) {
        const auto values = f(kTime0, at_q, at_v, direction);
        return std::vector<double>(values.begin(), values.end());
      };
      const DerivativeComparison here =
          exactly ? compare_at<long double>(
                        s, [&](const Vector& a, const Vector& b) { return exact(s.value, a, b); },
                        [&](const Vector& a, const Vector& b) { return exact(s.derivative, a, b); }, space == kPosition,
                        wider(q), wider(v), wider(direction))
                  : compare_at<double>(
                        s, [&](const auto& a, const auto& b) { return quick(*value, a, b); },
                        [&](const auto& a, const auto& b) { return quick(*derivative, a, b); }, space == kPosition, q,
                        v, direction);
      out.error = std::fmax(out.error, here.error);
      out.decided += here.decided;
      out.undecided += here.undecided;
    }
  }
  return out;
}

DerivativeComparison compare_derivatives(const Model& model) {
  Graph g = *model.graph;
  const std::int32_t n = model.coordinates.size();
  std::vector<DerivativePair> pairs;
  const auto mechanical = [&] {
    const Entries L = {{model.lagrangian, 0, {}, {}}};
    const Entries p = gradient(g, model.lagrangian, kVelocity), Lq = gradient(g, model.lagrangian, kPosition);
    for (const Space space : {kPosition, kVelocity}) {
      pairs.push_back(derivative_pair(g, L, 1, space));
      pairs.push_back(derivative_pair(g, p, n, space));
      pairs.push_back(derivative_pair(g, Lq, n, space));
      pairs.push_back(derivative_pair(g, model.nonholonomic, model.nonholonomic_names.size(), space));
      pairs.push_back(derivative_pair(g, model.holonomic, model.holonomic_names.size(), space));
    }
  };
  const auto overdetermined = [&] {
    const OdaeParts& o = model.odae;
    const std::int32_t nz = o.velocities.size();
    pairs.push_back(derivative_pair(g, model.constraints, model.algebraic.size(), kPosition));
    for (const Space space : {kPosition, kVelocity}) {
      pairs.push_back(derivative_pair(g, o.v, n, space));
      pairs.push_back(derivative_pair(g, o.f, nz, space));
      pairs.push_back(derivative_pair(g, o.p, nz, space));
      pairs.push_back(derivative_pair(g, at_start_multipliers(g, o.r, model.z0), nz, space));
    }
  };
  const auto states = [&] {
    const Entries H = {{model.hamiltonian, 0, {}, {}}};
    pairs.push_back(derivative_pair(g, H, 1, kPosition));
    pairs.push_back(derivative_pair(g, gradient(g, model.hamiltonian, kPosition), n, kPosition));
    pairs.push_back(derivative_pair(g, model.ph.z, n, kPosition));
  };
  const auto dae = [&] {
    pairs.push_back(derivative_pair(g, model.constraints, model.algebraic.size(), kPosition));
    for (const Entries& part : model.parts)
      if (!depends_on(g, part, kMultiplier)) pairs.push_back(derivative_pair(g, part, n, kPosition));
  };
  switch (model.kind) {
    case Kind::mechanical: mechanical(); break;
    case Kind::dae: dae(); break;
    case Kind::odae: overdetermined(); break;
    case Kind::skew_gradient:
    case Kind::port_hamiltonian: states(); break;
  }
  return compare_derivatives(g, pairs, model.q0, model.v0);
}

}  // namespace rattleback
