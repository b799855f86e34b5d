// Newton's iteration on the blocks of a sparse plan, to rounding.
//
// In a large system the multipliers cannot be had to rounding: the condition of K M^-1 K^T of a straight chain of N
// links is N^2. The equations can. So besides the corrections (convergence.hpp) the residuals are looked at: one that
// is below the rounding errors of its own terms cannot be improved.
#include <cmath>
#include <cstring>

#include "linalg/largest.hpp"
#include "step/convergence.hpp"
#include "step/sparse_plan.hpp"

namespace rattleback {
namespace {

using newton::kEps;
using newton::kRefresh;
constexpr double kExact = 0.5;       // times eps: a residual below this times its bound is as good as zero
constexpr double kStagnating = 8.0;  // the same for one that does not get smaller

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

bool finite(const double* x, std::int32_t size) {
  double sum = 0.0;  // stays 0 unless something is not finite
  for (std::int32_t i = 0; i < size; ++i) sum += x[i] * 0.0;
  return sum == 0.0;
}

// x -= delta, in one pass with what is to be known of both. False: delta is not finite.
bool correct(double* x, const double* delta, std::int32_t size, double& big, double& change) {
  constexpr auto kLanes = static_cast<std::int32_t>(Maximum::kLanes);
  Maximum of_x, of_delta;
  double zero[kLanes] = {};  // stays 0 unless something is not finite
  const auto one = [&](std::int32_t i, std::int32_t l) {
    x[i] -= delta[i];
    of_x.see(static_cast<std::size_t>(l), x[i]);
    of_delta.see(static_cast<std::size_t>(l), delta[i]);
    zero[l] += delta[i] * 0.0;
  };
  std::int32_t i = 0;
  for (; i + kLanes <= size; i += kLanes)
    for (std::int32_t l = 0; l < kLanes; ++l) one(i + l, l);
  for (; i < size; ++i) one(i, 0);
  big = std::fmax(big, of_x.value());
  change = std::fmax(change, of_delta.value());
  double sum = 0.0;
  for (const double z : zero) sum += z;
  return sum == 0.0;
}

// x -= correction, and how large that was.
Correction apply_correction(const SparsePlan::Block& b, double* w, const Sizes& sizes) {
  double big[2] = {sizes.typical[0], sizes.typical[1]}, change[2] = {0.0, 0.0};
  const double* delta = w + b.delta;
  bool finite = true;
  for (const SparsePlan::Vector& v : b.unknowns) {
    const auto kind = static_cast<std::size_t>(v.scale);
    if (!correct(w + v.slot, delta, v.size, big[kind], change[kind])) finite = false;
    delta += v.size;
  }
  return finite ? measured(big, change, sizes) : Correction{.size = 0.0, .noise = 0.0, .finite = false};
}

}  // namespace

void SparsePlan::run(SparsePart part, std::size_t block, double* w, const double* size) {
  Block& b = blocks_[block];
  if (parts_ != nullptr) {
    const auto number = block * static_cast<std::size_t>(SparsePart::count) + static_cast<std::size_t>(part);
    parts_(static_cast<int>(number), w, b.solver->matrix(), size, tables_.data());
    return;
  }
  switch (part) {
    case SparsePart::start:
      b.before.run(w);
      b.fixed.run(w, w);
      break;
    case SparsePart::values:
    case SparsePart::values_and_residual:
      for (const Copy& c : b.copies)
        std::memcpy(w + c.to, w + c.from, static_cast<std::size_t>(c.size) * sizeof(double));
      b.values.run(w);
      if (part == SparsePart::values_and_residual) b.residual.run(w);
      break;
    case SparsePart::matrix:
      b.jacobian.run(w);
      b.chain.run(w, w);
      b.matrix.run(w, b.solver->matrix());
      break;
    case SparsePart::bounds: b.bounds.run_bounds(w, size, kEps, w + b.bound); break;
    case SparsePart::first:
      for (const auto each :
           {SparsePart::start, SparsePart::values_and_residual, SparsePart::matrix, SparsePart::bounds})
        run(each, block, w, size);
      break;
    case SparsePart::count: break;
  }
}

bool SparsePlan::solve_block(std::size_t number, double* w, const Sizes& sizes, const SolveOptions& options,
                             SolveReport& report) {
  Block& b = blocks_[number];
  // Rounding errors of each residual are estimated from sum_j |dr/dx_j| |x_j|, with these sizes.
  double size[4];
  for (int k = 0; k < 4; ++k) size[k] = std::fmax(sizes.typical[k % 2], k < 2 ? 0.0 : sizes.noise[k % 2]);
  Convergence convergence(options);
  LinearRefinement refined(options);
  const auto never = [] { return false; };  // residuals have been judged by then
  bool current = true;                      // the matrix is to be that of this point
  double before = 0.0;
  for (int k = 1; k <= options.max_iterations; ++k) {
    if (k == 1) {
      b.solver->clear();
      run(SparsePart::first, number, w, size);
    } else {
      run(SparsePart::values_and_residual, number, w);
      const double now = b.linear ? 0.0 : excess(b, w);
      report.residual = largest(w + b.r, static_cast<std::size_t>(b.size));
      if (!b.linear && (now <= kExact || (now <= kStagnating && now > 0.5 * before))) return true;
      before = now;
    }
    ++report.iterations;
    if (current) {
      if (k > 1) {
        b.solver->clear();
        run(SparsePart::matrix, number, w);
        run(SparsePart::bounds, number, w, size);
      }
      if (!b.solver->factor_and_solve(w + b.r, w + b.delta)) {
        report.residual = largest(w + b.r, static_cast<std::size_t>(b.size));
        const bool singular = finite(w + b.r, b.size);
        report.reason =
            singular ? "the matrix of the equations is singular" : "the equations gave a value that is not finite";
        report.trouble = singular ? Trouble::singular : Trouble::not_finite;
        return false;
      }
      if (k == 1 && !b.linear) before = excess(b, w);
    }
    if (!current) b.solver->solve(w + b.r, w + b.delta);
    const Correction c = apply_correction(b, w, sizes);
    if (!c.finite) {
      report.reason = "the equations gave a value that is not finite";
      report.trouble = Trouble::not_finite;
      return false;
    }
    report.correction = c.size;
    const bool arrived = b.linear ? refined(k, c.size) : convergence.arrived(c, current, false, k, never);
    if (arrived && !b.linear && convergence.ran_away(c)) {
      report.reason = kRanAway;
      return false;
    }
    if (arrived) {
      run(SparsePart::values, number, w);
      return true;
    }
    if (convergence.measured()) report.contraction = convergence.progress().ratio;
    current = !b.linear && convergence.progress().ratio > kRefresh;
  }
  report.reason = "Newton's iteration did not converge";
  return false;
}

void SparsePlan::choose_pivots(double* w) {
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    run(SparsePart::start, k, w);
    run(SparsePart::values_and_residual, k, w);
    blocks_[k].solver->clear();
    run(SparsePart::matrix, k, w);
    blocks_[k].solver->choose_pivots();
  }
}

SolveReport SparsePlan::solve(double* w, const Sizes& sizes, const SolveOptions& options) {
  SolveReport report;
  for (std::size_t k = 0; k < blocks_.size(); ++k)
    if (!solve_block(k, w, sizes, options, report)) {
      report.ok = false;
      return report;
    }
  if (parts_ != nullptr)
    parts_(static_cast<int>(blocks_.size() * static_cast<std::size_t>(SparsePart::count)), w, nullptr, nullptr,
           tables_.data());
  else
    finish_.run(w);
  return report;
}

}  // namespace rattleback
