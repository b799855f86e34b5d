// Newton's iteration on the blocks of a plan, to rounding.
//
// The test is on corrections, relative to the size of the unknowns: with the default tolerance 0 the iteration goes on
// until the next correction would be below rounding, or until corrections at rounding level stop shrinking. Corrections
// of multipliers are measured against (state)/h, because that is the size of their rounding errors at small h.
#include <cmath>
#include <limits>

#include "solve/dense.hpp"
#include "solve/equations.hpp"

namespace rattleback {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kRoundingLevel = 1e-9;   // a stagnating correction below this is rounding, above it a failure
constexpr double kCertainlyRounding = 1e-14;
constexpr double kRefresh = 0.05;         // contraction above which the matrix is computed anew
constexpr std::int32_t kFullNewton = 3;   // blocks up to this size always use the current matrix

double larger(double a, double b) { return a < b ? b : a; }  // inlined, unlike fmax

struct Correction {
  double size;  // relative
  bool finite;
};

// x -= J^-1 r, and how large that was.
Correction correct(const Plan::Block& b, double* w, const double scale[2], double* residual) {
  const std::int32_t n = b.size;
  double* const r = w + b.r;
  double* const delta = w + b.pivots + 2 * static_cast<std::ptrdiff_t>(n);
  if (n == 1) {
    delta[0] = r[0] / w[b.J];
  } else {
    solve_factored(w + b.lu, w + b.pivots, w + b.pivots + n, r, delta, n);
  }
  double big[2] = {scale[0], scale[1]}, change[2] = {0.0, 0.0}, worst = 0.0;
  for (std::int32_t i = 0; i < n; ++i) {
    double& x = w[b.unknowns[static_cast<std::size_t>(i)]];
    const auto kind = static_cast<std::size_t>(b.scales[static_cast<std::size_t>(i)]);
    x -= delta[i];
    big[kind] = larger(big[kind], std::fabs(x));
    change[kind] = larger(change[kind], std::fabs(delta[i]));
    if (!(std::fabs(delta[i]) <= std::numeric_limits<double>::max())) return {0.0, false};
    worst = larger(worst, std::fabs(r[i]));
  }
  *residual = worst;
  double size = 0.0;
  for (int k = 0; k < 2; ++k)
    if (change[k] > 0.0) size = larger(size, change[k] / big[k]);
  return {size, true};
}

bool factor(const Plan::Block& b, double* w) {
  if (b.size == 1) return w[b.J] != 0.0 && std::isfinite(w[b.J]);
  const std::ptrdiff_t cells = static_cast<std::ptrdiff_t>(b.size) * b.size;
  for (std::ptrdiff_t k = 0; k < cells; ++k) w[b.lu + k] = w[b.J + k];
  return factor_in_place(w + b.lu, w + b.pivots, w + b.pivots + b.size, b.size);
}

bool solve_block(const Plan::Block& b, double* w, const double scale[2], const SolveOptions& options,
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
  bool fresh = false;        // is the matrix the one of this iterate?
  bool want_matrix = true;
  double last = 0.0, residual = 0.0;
  for (int k = 1; k <= options.max_iterations; ++k) {
    b.residual.run(w);
    if (want_matrix) {
      b.jacobian.run(w);
      if (!factor(b, w)) {
        report.reason = "the matrix of the equations is singular";
        report.iterations += k;
        return false;
      }
    }
    fresh = want_matrix;
    const Correction c = correct(b, w, scale, &residual);
    report.residual = residual;
    if (!c.finite) {
      report.reason = "the equations gave a value that is not finite";
      report.iterations += k;
      return false;
    }
    report.correction = c.size;
    if (b.linear || c.size <= kEps || c.size <= options.tolerance) {
      report.iterations += k;
      return true;
    }
    if (k >= 2) {
      const double ratio = c.size / last;
      report.contraction = ratio;
      // Newton with the current matrix squares the ratio, with an old one it keeps it.
      const double next = fresh ? ratio * ratio : ratio / larger(1.0 - ratio, 0.5);
      if (ratio < 1.0 && c.size * next <= 0.25 * kEps) {
        report.iterations += k;
        return true;
      }
      // Stagnation at rounding level. With an old matrix a slow ratio may also mean a poor matrix: look again with a new one.
      if (ratio > 0.3 && c.size <= (fresh ? kRoundingLevel : kCertainlyRounding)) {
        report.iterations += k;
        return true;
      }
      want_matrix = b.size <= kFullNewton || ratio > kRefresh;
    } else {
      want_matrix = b.size <= kFullNewton;
    }
    last = c.size;
  }
  report.reason = "Newton's iteration did not converge";
  report.iterations += options.max_iterations;
  return false;
}

}  // namespace

SolveReport Plan::solve(double* w, const double scale[2], const SolveOptions& options) const {
  SolveReport report;
  for (const Block& b : blocks_) {
    report.correction = 0.0;
    if (!solve_block(b, w, scale, options, report)) {
      report.ok = false;
      return report;
    }
  }
  finish_.run(w);
  return report;
}

}  // namespace rattleback
