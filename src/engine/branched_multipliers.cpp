#include "engine/branched_multipliers.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "expr/vectors.hpp"
#include "system/point.hpp"

namespace rattleback {
namespace {

// factor G(Psi) = -(what else changes k in this half of the step), reached at kCarried = 1: the force, and of g_yy(v, v) and
// g_y v_y v one half (where v is taken at the beginning) or what is left (where it is taken at the end).
// Unknowns: Psi, and with momenta the rates of z that r(Psi), r(psi) and what else there is give. Results: the unknowns, then
// G_Psi row by row, with momenta the matrix [p_z -r_Psi; k_z 0], whose determinant is that of G_Psi times that of p_z.
struct Half {
  bool force = false, late = false;
};
Equations branch_equations(const Overdetermined& system, Half part, double factor) {
  Overdetermined o = system;
  Graph& g = o.graph;
  const bool momenta = !o.p.empty();
  const Vec still(static_cast<std::size_t>(o.nz), g.zero());
  Vec frozen;
  for (std::int32_t i = 0; i < o.ny; ++i) frozen.push_back(g.variable(kFrozen, i));
  const Vec Psi = variables(g, kUnknown, 0, o.m);
  const NodeId reached = g.variable(kCarried, 0);
  Point at(g, g.variable(kTime, 0), {}, {}, Psi);
  Equations eq;
  Vec pushed_new = at(o.r), pushed = o.r, pull = o.f;
  // p_z^-1 (f - p_t - p_y v), as far as it belongs to this half.
  if (!part.force) pull.assign(pull.size(), g.zero());
  if (momenta && part.late)
    for (std::size_t i = 0; const NodeId carried : o.carried_along()) pull[i] = g.sub(pull[i], carried), ++i;
  Vec rows, momentum_rows;
  std::int32_t next = o.m;
  if (momenta)
    for (Vec* push : {&pushed_new, &pushed, &pull}) {
      const Vec rate = variables(g, kUnknown, std::exchange(next, next + o.nz), o.nz);
      for (std::size_t i = 0; i < rate.size(); ++i)
        momentum_rows.push_back(g.sub(dot(g, scalars(g, gradient(g, o.p[i], kVelocity), o.nz), rate), (*push)[i]));
      *push = rate;
    }
  Vec matrix;
  for (std::size_t c = 0; c < o.g.size(); ++c) {
    const NodeId curvature = substitute(g, o.along(o.along(o.g[c], frozen, still), frozen, still), [&](NodeId leaf) {
      return g[leaf].space == kFrozen ? o.v[static_cast<std::size_t>(g[leaf].base())] : leaf;
    });
    const NodeId half = g.mul(g.constant(0.5), curvature);
    const Vec kz = scalars(g, gradient(g, o.k[c], kVelocity), o.nz);
    const NodeId force = dot(g, kz, pull);
    // d k/dt for z' = 0 is g_yy(v, v) + g_y v_y v.
    const NodeId still_rate = part.late ? g.sub(o.along(o.k[c], o.v, still), half) : half;
    const NodeId right = g.neg(g.add(force, still_rate));
    const NodeId target = g.add(g.mul(g.sub(g.one(), reached), dot(g, kz, pushed)),
                                g.mul(g.mul(reached, g.constant(1.0 / factor)), right));
    rows.push_back(g.sub(dot(g, kz, pushed_new), target));
    if (momenta) continue;
    for (const NodeId e : scalars(g, gradient(g, dot(g, kz, o.r), kMultiplier), o.m)) matrix.push_back(at(e));
  }
  eq.residuals = rows;
  eq.residuals.insert(eq.residuals.end(), momentum_rows.begin(), momentum_rows.end());
  eq.scales.assign(eq.residuals.size(), Equations::Scale::state);
  for (std::int32_t c = 0; c < o.m; ++c) eq.guesses.push_back(g.variable(kMultiplier, c));
  eq.guesses.resize(eq.residuals.size(), g.zero());
  if (momenta) {
    for (std::size_t i = 0; i < o.p.size(); ++i) {
      for (const NodeId e : scalars(g, gradient(g, o.p[i], kVelocity), o.nz)) matrix.push_back(e);
      for (const NodeId e : scalars(g, gradient(g, o.r[i], kMultiplier), o.m)) matrix.push_back(g.neg(at(e)));
    }
    for (const NodeId k : o.k) {
      for (const NodeId e : scalars(g, gradient(g, k, kVelocity), o.nz)) matrix.push_back(e);
      matrix.resize(matrix.size() + Psi.size(), g.zero());
    }
  }
  eq.results = variables(g, kUnknown, 0, next);
  eq.results.insert(eq.results.end(), matrix.begin(), matrix.end());
  eq.inputs = {{kTime, 1}, {kPosition, o.ny}, {kVelocity, o.nz}, {kMultiplier, o.m}, {kCarried, 1}};
  eq.graph = std::move(g);
  return eq;
}

constexpr double kSmallestPart = 1.0 / 4096.0;

}  // namespace

BranchedMultipliers::BranchedMultipliers(const Overdetermined& system, const EulerScheme& scheme)
    : m_(static_cast<std::size_t>(system.m)),
      unknowns_(m_ + 3 * system.p.size()),
      size_(m_ + system.p.size()),
      values_(2 * m_, 0.0),
      current_(unknowns_, 0.0),
      matrix_(size_ * size_, 0.0) {
  const Half first{.force = !scheme.conjugate, .late = scheme.late()}, second{!first.force, !first.late};
  branches_.emplace_back(branch_equations(system, first, scheme.alpha));
  if (scheme.natural) branches_.emplace_back(branch_equations(system, second, 1.0 - scheme.alpha));
}

bool BranchedMultipliers::set_parameters(std::span<const double> values) {
  for (Branch& b : branches_)
    if (!b.plan.parameters().compute(values, b.room)) return false;
  for (Branch& b : branches_) {
    b.numbers = b.room.numbers;
    b.plan.parameters().put(b.numbers, b.w.data());
  }
  return true;
}

void BranchedMultipliers::reset() {
  for (Branch& b : branches_) {
    b.w = b.plan.image();
    if (!b.numbers.empty()) b.plan.parameters().put(b.numbers, b.w.data());
  }
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
  return std::all_of(x, x + unknowns_ + size_ * size_, [](double value) { return std::isfinite(value); });
}

// Its sign: 1, -1 or 0.
double BranchedMultipliers::sign_of_determinant(const Branch& b) {
  const std::size_t n = size_;
  const double* const x = b.w.data() + b.plan.result_slot() + unknowns_;
  std::copy(x, x + n * n, matrix_.begin());
  double d = 1.0;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t p = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::fabs(matrix_[i * n + k]) > std::fabs(matrix_[p * n + k])) p = i;
    if (p != k) {
      for (std::size_t j = 0; j < n; ++j) std::swap(matrix_[p * n + j], matrix_[k * n + j]);
      d = -d;
    }
    const double pivot = matrix_[k * n + k];
    if (pivot == 0.0) return 0.0;
    d *= pivot > 0.0 ? 1.0 : -1.0;
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = matrix_[i * n + k] / pivot;
      for (std::size_t j = k; j < n; ++j) matrix_[i * n + j] -= factor * matrix_[k * n + j];
    }
  }
  return d;
}

bool BranchedMultipliers::follow(Branch& b, std::span<const double> psi, double* result) {
  std::fill(current_.begin(), current_.end(), 0.0);
  std::copy(psi.begin(), psi.end(), current_.begin());
  if (!at(b, 0.0)) return false;
  const double sign = sign_of_determinant(b);
  double reached = 0.0, part = 1.0;
  while (reached < 1.0) {
    const double next = std::fmin(1.0, reached + part);
    if (at(b, next) && sign_of_determinant(b) == sign) {
      const double* const x = b.w.data() + b.plan.result_slot();
      std::copy(x, x + unknowns_, current_.begin());
      reached = next;
      part *= 2.0;
    } else {
      part /= 2.0;
      if (part < kSmallestPart) return false;
    }
  }
  std::copy_n(current_.begin(), m_, result);
  return true;
}

}  // namespace rattleback
