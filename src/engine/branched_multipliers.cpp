#include "engine/branched_multipliers.hpp"

#include <algorithm>
#include <cmath>

#include "expr/vectors.hpp"
#include "system/point.hpp"

namespace rattleback {
namespace {

// factor G(Psi) = right-hand side, reached at kCarried = 1. Results: Psi, then G_psi row by row.
Equations branch_equations(const Overdetermined& system, bool with_force, double factor) {
  Overdetermined o = system;
  Graph& g = o.graph;
  const Vec still(static_cast<std::size_t>(o.nz), g.zero());
  Vec frozen, Psi;
  for (std::int32_t i = 0; i < o.ny; ++i) frozen.push_back(g.variable(kFrozen, i));
  for (std::int32_t c = 0; c < o.m; ++c) Psi.push_back(g.variable(kUnknown, c));
  const NodeId reached = g.variable(kCarried, 0);
  Equations eq;
  Vec matrix;
  for (std::size_t c = 0; c < o.g.size(); ++c) {
    const NodeId curvature = substitute(g, o.along(o.along(o.g[c], frozen, still), frozen, still), [&](NodeId leaf) {
      return g[leaf].space == kFrozen ? o.v[static_cast<std::size_t>(g[leaf].base())] : leaf;
    });
    const NodeId half = g.mul(g.constant(0.5), curvature);
    const Vec kz = scalars(g, gradient(g, o.k[c], kVelocity), o.nz);
    NodeId G = g.zero(), force = g.zero();
    for (std::size_t i = 0; i < kz.size(); ++i) {
      G = g.add(G, g.mul(kz[i], o.r[i]));
      force = g.add(force, g.mul(kz[i], o.f[i]));
    }
    // d k/dt for z' = 0 is g_yy(v, v) + g_y v_y v.
    const NodeId right = with_force ? g.neg(g.add(force, half)) : g.sub(half, o.along(o.k[c], o.v, still));
    Point at(g, g.variable(kTime, 0), {}, {}, Psi);
    const NodeId target =
        g.add(g.mul(g.sub(g.one(), reached), G), g.mul(g.mul(reached, g.constant(1.0 / factor)), right));
    eq.residuals.push_back(g.sub(at(G), target));
    const Vec row = scalars(g, gradient(g, G, kMultiplier), o.m);
    for (const NodeId e : row) matrix.push_back(at(e));
  }
  eq.scales.assign(eq.residuals.size(), Equations::Scale::state);
  for (std::int32_t c = 0; c < o.m; ++c) eq.guesses.push_back(g.variable(kMultiplier, c));
  eq.results = Psi;
  eq.results.insert(eq.results.end(), matrix.begin(), matrix.end());
  eq.inputs = {{kTime, 1}, {kPosition, o.ny}, {kVelocity, o.nz}, {kMultiplier, o.m}, {kCarried, 1}};
  eq.graph = std::move(g);
  return eq;
}

constexpr double kSmallestPart = 1.0 / 4096.0;

}  // namespace

BranchedMultipliers::BranchedMultipliers(const Overdetermined& system, const EulerScheme& scheme)
    : m_(static_cast<std::size_t>(system.m)), values_(2 * m_, 0.0), current_(m_, 0.0), matrix_(m_ * m_, 0.0) {
  branches_.emplace_back(branch_equations(system, !scheme.conjugate, scheme.alpha));
  if (scheme.natural) branches_.emplace_back(branch_equations(system, scheme.conjugate, 1.0 - scheme.alpha));
}

bool BranchedMultipliers::solve(double t, std::span<const double> y, std::span<const double> z,
                                std::span<const double> psi) {
  bool ok = true;
  for (std::size_t i = 0; i < branches_.size(); ++i) {
    Branch& b = branches_[i];
    b.w[static_cast<std::size_t>(b.plan.slot(kTime))] = t;
    std::copy(y.begin(), y.end(), b.w.begin() + b.plan.slot(kPosition));
    std::copy(z.begin(), z.end(), b.w.begin() + b.plan.slot(kVelocity));
    std::copy(psi.begin(), psi.end(), b.w.begin() + b.plan.slot(kMultiplier));
    if (follow(b, psi, values_.data() + i * m_)) continue;
    std::copy(psi.begin(), psi.end(), values_.begin() + static_cast<std::ptrdiff_t>(i * m_));
    ok = false;
  }
  return ok;
}

// Newton from the values in current_.
bool BranchedMultipliers::at(Branch& b, double fraction) {
  b.w[static_cast<std::size_t>(b.plan.slot(kCarried))] = fraction;
  const auto slots = b.plan.unknown_slots();
  const auto numbers = b.plan.unknown_numbers();
  for (std::size_t i = 0; i < slots.size(); ++i)
    b.w[static_cast<std::size_t>(slots[i])] = current_[static_cast<std::size_t>(numbers[i])];
  if (!b.plan.solve(b.w.data(), {}, {}).ok) return false;
  const double* const x = b.w.data() + b.plan.result_slot();
  return std::all_of(x, x + m_ + m_ * m_, [](double value) { return std::isfinite(value); });
}

// Its sign: 1, -1 or 0.
double BranchedMultipliers::sign_of_determinant(const Branch& b) {
  const double* const x = b.w.data() + b.plan.result_slot() + m_;
  std::copy(x, x + m_ * m_, matrix_.begin());
  double d = 1.0;
  for (std::size_t k = 0; k < m_; ++k) {
    std::size_t p = k;
    for (std::size_t i = k + 1; i < m_; ++i)
      if (std::fabs(matrix_[i * m_ + k]) > std::fabs(matrix_[p * m_ + k])) p = i;
    if (p != k) {
      for (std::size_t j = 0; j < m_; ++j) std::swap(matrix_[p * m_ + j], matrix_[k * m_ + j]);
      d = -d;
    }
    const double pivot = matrix_[k * m_ + k];
    if (pivot == 0.0) return 0.0;
    d *= pivot > 0.0 ? 1.0 : -1.0;
    for (std::size_t i = k + 1; i < m_; ++i) {
      const double factor = matrix_[i * m_ + k] / pivot;
      for (std::size_t j = k; j < m_; ++j) matrix_[i * m_ + j] -= factor * matrix_[k * m_ + j];
    }
  }
  return d;
}

bool BranchedMultipliers::follow(Branch& b, std::span<const double> psi, double* result) {
  std::copy(psi.begin(), psi.end(), current_.begin());
  if (!at(b, 0.0)) return false;
  const double sign = sign_of_determinant(b);
  double reached = 0.0, part = 1.0;
  while (reached < 1.0) {
    const double next = std::fmin(1.0, reached + part);
    if (at(b, next) && sign_of_determinant(b) == sign) {
      const double* const x = b.w.data() + b.plan.result_slot();
      std::copy(x, x + m_, current_.begin());
      reached = next;
      part *= 2.0;
    } else {
      part /= 2.0;
      if (part < kSmallestPart) return false;
    }
  }
  std::copy(current_.begin(), current_.end(), result);
  return true;
}

}  // namespace rattleback
