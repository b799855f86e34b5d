// Newton's iteration on the blocks of a sparse plan, to rounding.
//
// In a large system the multipliers cannot be had to rounding: the condition of K M^-1 K^T of a straight chain of N links
// is N^2. The equations can. So besides the corrections (convergence.hpp) the residuals are looked at: one that is below
// the rounding errors of its own terms cannot be improved.
#include <cmath>
#include <cstring>

#include "solve/convergence.hpp"
#include "solve/sparse_plan.hpp"

namespace rattleback {
namespace {

constexpr double kEps = Convergence::kEps;
constexpr double kRefresh = 0.05;    // contraction above which the matrix is computed anew
constexpr double kExact = 0.5;       // times eps: a residual below this times its bound is as good as zero
constexpr double kStagnating = 8.0;  // the same for one that does not get smaller

// Rounding errors of each residual, from sum_j |dr/dx_j| |x_j|.
void estimate_bounds(const SparsePlan::Block& b, double* w, const Sizes& sizes) {
  double size[4];
  for (int k = 0; k < 4; ++k) size[k] = std::fmax(sizes.typical[k % 2], k < 2 ? 0.0 : sizes.noise[k % 2]);
  for (std::int32_t i = 0; i < b.size; ++i) {
    double s = 0.0;
    for (std::int32_t k = b.bounds.first[static_cast<std::size_t>(i)];
         k < b.bounds.first[static_cast<std::size_t>(i) + 1]; ++k)
      s += std::fabs(w[b.bounds.slot[static_cast<std::size_t>(k)]]) * size[b.bounds.kind[static_cast<std::size_t>(k)]];
    w[b.bound + i] = kEps * s;
  }
}

// Largest residual in units of its bound.
double excess(const SparsePlan::Block& b, const double* w) {
  double worst = 0.0;
  const double *const r = w + b.r, *const bound = w + b.bound;
  for (std::int32_t i = 0; i < b.size; ++i) {
    const double x = std::fabs(r[i]);
    if (!(x <= worst * bound[i])) worst = bound[i] > 0.0 ? x / bound[i] : std::numeric_limits<double>::infinity();
  }
  return worst;
}

void run_copies(const SparsePlan::Block& b, double* w) {
  for (const SparsePlan::Copy& c : b.copies)
    std::memcpy(w + c.to, w + c.from, static_cast<std::size_t>(c.size) * sizeof(double));
}

void evaluate(const SparsePlan::Block& b, double* w, bool with_residual) {
  run_copies(b, w);
  b.values.run(w);
  if (with_residual) b.residual.run(w);
}

void write_matrix(const SparsePlan::Block& b, double* w) {
  b.jacobian.run(w);
  b.chain.run(w, w);
  b.solver->clear();
  b.matrix.run(w, b.solver->matrix());
}

double largest(const double* x, std::int32_t size) {
  double big = 0.0;
  for (std::int32_t i = 0; i < size; ++i) big = std::fabs(x[i]) > big ? std::fabs(x[i]) : big;
  return big;
}

bool finite(const double* x, std::int32_t size) {
  double sum = 0.0;  // stays 0 unless something is not finite
  for (std::int32_t i = 0; i < size; ++i) sum += x[i] * 0.0;
  return sum == 0.0;
}

// x -= correction, and how large that was.
Correction apply_correction(const SparsePlan::Block& b, double* w, const Sizes& sizes) {
  if (!finite(w + b.delta, b.size)) return {.size = 0.0, .noise = 0.0, .finite = false};
  double big[2] = {sizes.typical[0], sizes.typical[1]}, change[2] = {0.0, 0.0};
  const double* delta = w + b.delta;
  for (const SparsePlan::Vector& v : b.unknowns) {
    const auto kind = static_cast<std::size_t>(v.scale);
    double* const x = w + v.slot;
    for (std::int32_t i = 0; i < v.size; ++i) x[i] -= delta[i];
    big[kind] = std::fmax(big[kind], largest(x, v.size));
    change[kind] = std::fmax(change[kind], largest(delta, v.size));
    delta += v.size;
  }
  Correction c;
  for (int k = 0; k < 2; ++k) {
    c.big[k] = std::fmax(big[k], sizes.noise[k]);
    if (change[k] <= 0.0) continue;
    c.size = std::fmax(c.size, change[k] / big[k]);
    c.noise = std::fmax(c.noise, change[k] / std::fmax(big[k], sizes.noise[k]));
  }
  return c;
}

}  // namespace

bool SparsePlan::solve_block(Block& b, double* w, const Sizes& sizes, const SolveOptions& options,
                             SolveReport& report) {
  b.before.run(w);
  b.fixed.run(w, w);
  Convergence convergence(options);
  bool current = true;  // the matrix is to be that of this point
  double before = 0.0;
  for (int k = 1; k <= options.max_iterations; ++k) {
    evaluate(b, w, true);
    if (k > 1) {
      const double now = excess(b, w);
      report.residual = largest(w + b.r, b.size);
      if (now <= kExact || (now <= kStagnating && now > 0.5 * before)) return true;
      before = now;
    }
    ++report.iterations;
    if (current) {
      write_matrix(b, w);
      if (!b.solver->factor()) {
        report.residual = largest(w + b.r, b.size);
        report.reason = finite(w + b.r, b.size) ? "the matrix of the equations is singular"
                                                : "the equations gave a value that is not finite";
        return false;
      }
      if (!b.linear) estimate_bounds(b, w, sizes);
      if (k == 1 && !b.linear) before = excess(b, w);
    }
    b.solver->solve(w + b.r, w + b.delta);
    const Correction c = apply_correction(b, w, sizes);
    if (!c.finite) {
      report.reason = "the equations gave a value that is not finite";
      return false;
    }
    report.correction = c.size;
    const bool arrived = b.linear || convergence.arrived(c, current);
    if (arrived && !b.linear && convergence.ran_away(c)) {
      report.reason = kRanAway;
      return false;
    }
    if (arrived) {
      evaluate(b, w, false);
      return true;
    }
    if (convergence.measured()) report.contraction = convergence.ratio();
    current = convergence.ratio() > kRefresh;
  }
  report.reason = "Newton's iteration did not converge";
  return false;
}

void SparsePlan::choose_pivots(double* w) {
  for (Block& b : blocks_) {
    b.before.run(w);
    b.fixed.run(w, w);
    evaluate(b, w, true);
    write_matrix(b, w);
    b.solver->choose_pivots();
  }
}

SolveReport SparsePlan::solve(double* w, const Sizes& sizes, const SolveOptions& options) {
  SolveReport report;
  for (Block& b : blocks_)
    if (!solve_block(b, w, sizes, options, report)) {
      report.ok = false;
      return report;
    }
  finish_.run(w);
  return report;
}

}  // namespace rattleback
