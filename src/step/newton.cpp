// Newton's iteration on the blocks of a plan, to rounding.
//
// The test is on corrections, relative to the size of the unknowns (convergence.hpp). Corrections of multipliers are
// measured against (state)/h, because that is the size of their rounding errors at small h.
#include <bit>
#include <cmath>
#include <limits>

#include "linalg/dense.hpp"
#include "step/convergence.hpp"
#include "step/equations.hpp"
#include "step/newton_limits.hpp"
#include "step/saddle.hpp"
#include "step/sparse_plan.hpp"

namespace rattleback {
namespace {

constexpr double kNoise = Convergence::kNoise;
using newton::kFullNewton;
using newton::kLeadingContraction;
using newton::kPatience;
using newton::kRefresh;
using newton::kSaddleContraction;

double larger(double a, double b) { return a < b ? b : a; }  // inlined, unlike fmax

enum class Matrix { current, old, saddle, leading };

double* correction_of(const Plan::Block& b, double* w) {
  return w + b.pivots + 2 * static_cast<std::ptrdiff_t>(b.size);
}

// x -= correction, and how large that was.
Correction apply_correction(const Plan::Block& b, double* w, const Sizes& sizes, double* residual) {
  const double *const r = w + b.r, *const delta = correction_of(b, w);
  // Maxima of both kinds in registers and without branches: which is the largest cannot be foreseen. What belongs to the
  // other kind counts as 0.
  static constexpr double kCounts[2][2] = {{1.0, 0.0}, {0.0, 1.0}};
  double big0 = sizes.typical[0], big1 = sizes.typical[1], change0 = 0.0, change1 = 0.0, worst = 0.0;
  for (std::int32_t i = 0; i < b.size; ++i) {
    double& x = w[b.unknowns[static_cast<std::size_t>(i)]];
    const double* const counts = kCounts[static_cast<std::size_t>(b.scales[static_cast<std::size_t>(i)])];
    x -= delta[i];
    const double now = std::fabs(x), step = std::fabs(delta[i]);
    big0 = larger(big0, counts[0] * now);
    big1 = larger(big1, counts[1] * now);
    change0 = larger(change0, counts[0] * step);
    change1 = larger(change1, counts[1] * step);
    if (!(step <= std::numeric_limits<double>::max())) return {.size = 0.0, .noise = 0.0, .finite = false};
    worst = larger(worst, std::fabs(r[i]));
  }
  *residual = worst;
  const double big[2] = {big0, big1}, change[2] = {change0, change1};
  double size = 0.0, noise = 0.0;
  for (int k = 0; k < 2; ++k) {
    if (change[k] <= 0.0) continue;
    size = larger(size, change[k] / big[k]);
    noise = larger(noise, change[k] / larger(big[k], sizes.noise[k]));
  }
  return {.size = size,
          .noise = noise,
          .finite = true,
          .big = {larger(big[0], sizes.noise[0]), larger(big[1], sizes.noise[1])}};
}

bool factor(const Plan::Block& b, double* w) {
  if (b.size == 1) return w[b.J] != 0.0 && std::isfinite(w[b.J]);
  const std::ptrdiff_t cells = static_cast<std::ptrdiff_t>(b.size) * b.size;
  for (std::ptrdiff_t k = 0; k < cells; ++k) w[b.lu + k] = w[b.J + k];
  return factor_in_place(w + b.lu, w + b.pivots, w + b.pivots + b.size, b.size);
}

void keep_guess(const Plan::Block& b, double* w) {
  for (std::int32_t i = 0; i < b.size; ++i) w[b.leading->guess + i] = w[b.unknowns[static_cast<std::size_t>(i)]];
}

void restore_guess(const Plan::Block& b, double* w) {
  for (std::int32_t i = 0; i < b.size; ++i) w[b.unknowns[static_cast<std::size_t>(i)]] = w[b.leading->guess + i];
}

// Without a chain of dependent additions: adding 1 to an exponent of all ones sets the sign bit.
bool finite(const double* x, std::int32_t count) {
  constexpr std::uint64_t kExponent = 0x7ff0000000000000ULL, kOne = 0x0010000000000000ULL;
  std::uint64_t any = 0;
  for (std::int32_t i = 0; i < count; ++i) any |= (std::bit_cast<std::uint64_t>(x[i]) & kExponent) + kOne;
  return any >> 63 == 0;
}

bool factor(const LeadingSlots& d, double* w) {
  d.matrix.run(w);
  if (d.size == 1) return w[d.S] != 0.0 && std::isfinite(w[d.S]);
  for (std::int32_t k = 0; k < d.size * d.size; ++k) w[d.lu + k] = w[d.S + k];
  return factor_in_place(w + d.lu, w + d.pivots, w + d.pivots + d.size, d.size);
}

void solve(const LeadingSlots& d, double* w) {
  d.right.run(w);
  if (d.size == 1)
    w[d.y] = w[d.rhs] / w[d.S];
  else
    solve_factored(w + d.lu, w + d.pivots, w + d.pivots + d.size, w + d.rhs, w + d.y, d.size);
  d.expand.run(w);
}

void solve_linear(const Plan::Block& b, double* w, Matrix matrix) {
  double* const delta = correction_of(b, w);
  if (matrix == Matrix::leading)
    solve(*b.leading, w);
  else if (matrix == Matrix::saddle)
    solve_saddle(*b.saddle, w, w + b.r, delta);
  else if (b.size == 1)
    delta[0] = w[b.r] / w[b.J];
  else
    solve_factored(w + b.lu, w + b.pivots, w + b.pivots + b.size, w + b.r, delta, b.size);
}

// Are all residuals as small as the rounding errors of their terms? Then corrections that do not shrink come from a nearly
// singular matrix, and no iteration can do better.
bool residual_is_rounding(const Plan::Block& b, const double* w, const Sizes& sizes) {
  for (std::int32_t i = 0; i < b.size; ++i) {
    double terms = sizes.noise[0];
    for (std::int32_t j = 0; j < b.size; ++j)
      terms += std::fabs(w[b.J + i * b.size + j] * w[b.unknowns[static_cast<std::size_t>(j)]]);
    if (!(std::fabs(w[b.r + i]) <= kNoise * terms)) return false;
  }
  return true;
}

bool solve_block(const Plan::Block& b, double* w, const Sizes& sizes, const SolveOptions& options,
                 SolveReport& report) {
  b.before.run(w);
  if (b.linear && b.size == 1) {
    b.residual.run(w);
    w[b.unknowns[0]] -= w[b.r] / w[b.J];
    ++report.iterations;
    if (w[b.J] != 0.0) return true;
    report.reason = "the matrix of the equations is singular";
    return false;
  }
  Matrix matrix = b.saddle && factor_saddle(*b.saddle, w) ? Matrix::saddle
                  : b.leading                             ? Matrix::leading
                                                          : Matrix::current;
  if (b.leading) keep_guess(b, w);
  Convergence convergence(options);
  LinearRefinement refined(options);
  for (int k = 1; k <= options.max_iterations; ++k) {
    ++report.iterations;
    b.residual.run(w);
    if (matrix == Matrix::leading && k == 1 && !factor(*b.leading, w)) matrix = Matrix::current;
    if (matrix == Matrix::current) {
      b.jacobian.run(w);
      if (!factor(b, w)) {
        report.reason = finite(w + b.r, b.size) && finite(w + b.J, b.size * b.size)
                            ? "the matrix of the equations is singular"
                            : "the equations gave a value that is not finite";
        return false;
      }
    }
    solve_linear(b, w, matrix);
    if (matrix == Matrix::leading && !finite(correction_of(b, w), b.size)) {  // a mass that is 0 at this point
      matrix = Matrix::current;
      convergence.restart();
      restore_guess(b, w);
      continue;
    }
    const Correction c = apply_correction(b, w, sizes, &report.residual);
    if (!c.finite) {
      report.reason = "the equations gave a value that is not finite";
      return false;
    }
    report.correction = c.size;
    if (k == 1 && !b.linear) report.first = larger(report.first, c.size);
    const bool current = matrix == Matrix::current;
    if (b.linear) {
      if (refined(k, c.size)) return true;
      matrix = Matrix::old;
      continue;
    }
    if (convergence.arrived(c, current)) {
      if (!convergence.ran_away(c)) return true;
      report.reason = kRanAway;
      return false;
    }
    const double ratio = convergence.ratio();
    if (convergence.measured()) report.contraction = ratio;
    if (ratio > Convergence::kStagnant && current && k > kPatience && !convergence.ran_away(c) &&
        residual_is_rounding(b, w, sizes))
      return true;
    if (matrix == Matrix::leading && newton::at_the_floor(convergence, c)) {
      if (!convergence.ran_away(c)) return true;
      report.reason = kRanAway;
      return false;
    }
    if (matrix == Matrix::saddle || matrix == Matrix::leading) {
      const bool poor = ratio > kSaddleContraction, rounding = c.size <= newton::kLeadingRounding;
      const bool slow = poor || (matrix == Matrix::leading && ratio > kLeadingContraction && !rounding);
      if (slow && !options.simplified) {
        if (matrix == Matrix::leading && poor && !rounding) restore_guess(b, w);
        matrix = Matrix::current;
        convergence.restart();
      }
    } else {
      matrix = b.size <= kFullNewton || ratio > kRefresh ? Matrix::current : Matrix::old;
    }
  }
  report.reason = "Newton's iteration did not converge";
  return false;
}

}  // namespace

SolveReport Plan::solve(double* w, const Sizes& sizes, const SolveOptions& options) const {
  if (sparse_) return sparse_->solve(w, sizes, options);
  SolveReport report;
  for (const Block& b : blocks_) {
    if (!solve_block(b, w, sizes, options, report)) {
      report.ok = false;
      return report;
    }
  }
  finish_.run(w);
  return report;
}

}  // namespace rattleback
