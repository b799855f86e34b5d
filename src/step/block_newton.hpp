// Newton's iteration on one block of equations, to rounding.
//
// The test is on corrections, relative to the size of the unknowns (stopping.hpp). Corrections of multipliers are
// measured against (state)/h, because that is the size of their rounding errors at small h.
//
// Block is Plan::Block, or what a generated header has in its place: headers repeat this text. Lu has factor(lu, perm,
// scale, n) and solve(lu, perm, scale, b, x, n) of linalg/dense.hpp.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "step/convergence.hpp"

namespace rattleback::newton {

enum class Matrix { current, old, saddle, leading };

template <class Block>
inline double* correction_of(const Block& b, double* w) {
  return w + b.pivots + 2 * static_cast<std::ptrdiff_t>(b.size);
}

// x -= delta, and how large that was; the largest residual, too. at: where a slot of the workspace is.
template <class Block, class At>
inline Correction apply_correction(const Block& b, const double* delta, const Sizes<double>& sizes, const At& at,
                                   double* residual) {
  // Maxima of both kinds in registers and without branches: which is the largest cannot be foreseen. What belongs to
  // the other kind counts as 0.
  static constexpr double kCounts[2][2] = {{1.0, 0.0}, {0.0, 1.0}};
  double big0 = sizes.typical[0], big1 = sizes.typical[1], change0 = 0.0, change1 = 0.0, worst = 0.0;
  for (std::int32_t i = 0; i < b.size; ++i) {
    double& x = at(b.unknowns[static_cast<std::size_t>(i)]);
    const double* const counts = kCounts[static_cast<std::size_t>(b.scales[static_cast<std::size_t>(i)])];
    x -= delta[i];
    const double now = std::fabs(x), step = std::fabs(delta[i]);
    big0 = larger(big0, counts[0] * now);
    big1 = larger(big1, counts[1] * now);
    change0 = larger(change0, counts[0] * step);
    change1 = larger(change1, counts[1] * step);
    if (!(step <= std::numeric_limits<double>::max())) return {.size = 0.0, .noise = 0.0, .finite = false};
    worst = larger(worst, std::fabs(at(b.r + i)));
  }
  *residual = worst;
  return measured({big0, big1}, {change0, change1}, sizes);
}

// Without a chain of dependent additions: adding 1 to an exponent of all ones sets the sign bit.
inline bool all_finite(const double* x, std::ptrdiff_t count) {
  constexpr std::uint64_t kExponent = 0x7ff0000000000000ULL, kOne = 0x0010000000000000ULL;
  std::uint64_t any = 0;
  for (std::ptrdiff_t i = 0; i < count; ++i) any |= (std::bit_cast<std::uint64_t>(x[i]) & kExponent) + kOne;
  return any >> 63 == 0;
}

// The matrix at w[J] of n rows; its factors go to w[lu], its pivots to w[pivots].
struct Factored {
  std::int32_t n, J, lu, pivots;
};

template <class Lu>
inline bool factor(const Factored& f, double* w) {
  if (f.n == 1) return w[f.J] != 0.0 && std::isfinite(w[f.J]);
  const std::ptrdiff_t cells = static_cast<std::ptrdiff_t>(f.n) * f.n;
  for (std::ptrdiff_t k = 0; k < cells; ++k) w[f.lu + k] = w[f.J + k];
  return Lu::factor(w + f.lu, w + f.pivots, w + f.pivots + f.n, f.n);
}

template <class Lu>
inline void solve(const Factored& f, double* w, const double* r, double* x) {
  if (f.n == 1)
    x[0] = r[0] / w[f.J];
  else
    Lu::solve(w + f.lu, w + f.pivots, w + f.pivots + f.n, r, x, f.n);
}

// Are all residuals as small as the rounding errors of their terms? Then corrections that do not shrink come from a
// nearly singular matrix, and no iteration can do better.
template <class Block, class At>
inline bool residual_is_rounding(const Block& b, const Sizes<double>& sizes, const At& at) {
  for (std::int32_t i = 0; i < b.size; ++i) {
    double terms = sizes.noise[0];
    for (std::int32_t j = 0; j < b.size; ++j)
      terms += std::fabs(at(b.J + i * b.size + j) * at(b.unknowns[static_cast<std::size_t>(j)]));
    if (!(std::fabs(at(b.r + i)) <= kNoise * terms)) return false;
  }
  return true;
}

// seen(k, last, progress) is told of each correction of a nonlinear block; last: the size of the one before it.
template <class Lu, class Block, class Report, class Seen>
bool solve_block(const Block& b, double* w, const Sizes<double>& sizes, const SolveOptions& options, Report& report,
                 const Seen& seen) {
  const auto stop = [&](const char* reason, Trouble trouble) {
    report.reason = reason;
    report.trouble = trouble;
    return false;
  };
  constexpr const char *kSingular = "the matrix of the equations is singular",
                       *kNotFinite = "the equations gave a value that is not finite";
  b.before.run(w);
  if (b.linear && b.size == 1) {
    b.residual.run(w);
    w[b.unknowns[0]] -= w[b.r] / w[b.J];
    ++report.iterations;
    return w[b.J] != 0.0 ? true : stop(kSingular, Trouble::singular);
  }
  Matrix matrix = b.leading ? Matrix::leading : Matrix::current;
  if constexpr (requires { b.saddle; })
    if (b.saddle && factor_saddle(*b.saddle, w)) matrix = Matrix::saddle;
  const Factored exact{b.size, b.J, b.lu, b.pivots};
  Factored leading{};
  if (b.leading) leading = {b.leading->size, b.leading->S, b.leading->lu, b.leading->pivots};
  const auto at = [&](std::int32_t slot) -> double& { return w[slot]; };
  const auto unknown = [&](std::int32_t i) -> double& { return at(b.unknowns[static_cast<std::size_t>(i)]); };
  const auto restore_guess = [&] {
    for (std::int32_t i = 0; i < b.size; ++i) unknown(i) = w[b.leading->guess + i];
  };
  if (b.leading)
    for (std::int32_t i = 0; i < b.size; ++i) w[b.leading->guess + i] = unknown(i);
  double* const delta = correction_of(b, w);
  Convergence convergence(options);
  LinearRefinement refined(options);
  for (int k = 1; k <= options.max_iterations; ++k) {
    ++report.iterations;
    b.residual.run(w);
    if (matrix == Matrix::leading && k == 1) {
      b.leading->matrix.run(w);
      if (!factor<Lu>(leading, w)) matrix = Matrix::current;
    }
    if (matrix == Matrix::current) {
      b.jacobian.run(w);
      if (!factor<Lu>(exact, w))
        return all_finite(w + b.r, b.size) && all_finite(w + b.J, b.size * b.size)
                   ? stop(kSingular, Trouble::singular)
                   : stop(kNotFinite, Trouble::not_finite);
    }
    if (matrix == Matrix::leading) {
      b.leading->right.run(w);
      solve<Lu>(leading, w, w + b.leading->rhs, w + b.leading->y);
      b.leading->expand.run(w);
      if (!all_finite(delta, b.size)) {  // a mass that is 0 at this point
        matrix = Matrix::current;
        convergence.restart();
        restore_guess();
        continue;
      }
    } else if (matrix == Matrix::saddle) {
      if constexpr (requires { b.saddle; }) solve_saddle(*b.saddle, w, w + b.r, delta);
    } else {
      solve<Lu>(exact, w, w + b.r, delta);
    }
    const Correction c = apply_correction(b, delta, sizes, at, &report.residual);
    if (!c.finite) return stop(kNotFinite, Trouble::not_finite);
    report.correction = c.size;
    if (b.linear) {
      if (refined(k, c.size)) return true;
      matrix = Matrix::old;
      continue;
    }
    if (k == 1) report.first = larger(report.first, c.size);
    const auto rounding = [&] { return residual_is_rounding(b, sizes, at); };
    const double last = convergence.progress().last;
    const bool arrived = convergence.arrived(c, matrix == Matrix::current, matrix == Matrix::leading, k, rounding);
    const Progress<double, int>& p = convergence.progress();
    seen(k, last, p);
    if (arrived) return convergence.ran_away(c) ? stop(kRanAway, Trouble::newton) : true;
    if (convergence.measured()) report.contraction = p.ratio;
    if (matrix == Matrix::saddle || matrix == Matrix::leading) {
      const bool slow = matrix == Matrix::leading ? leads_too_slowly(p) : too_slow(p);
      if (slow && !options.simplified) {
        if (matrix == Matrix::leading && too_slow(p) && !(c.size <= kLeadingRounding)) restore_guess();
        matrix = Matrix::current;
        convergence.restart();
      }
    } else {
      matrix = b.size <= kFullNewton || p.ratio > kRefresh ? Matrix::current : Matrix::old;
    }
  }
  return stop("Newton's iteration did not converge", Trouble::newton);
}

// One block after the other, and what follows from their solutions. seen(block, k, last, progress): as for solve_block().
template <class Lu, class Blocks, class Program, class Seen>
SolveReport solve_blocks(const Blocks& blocks, const Program& finish, double* w, const Sizes<double>& sizes,
                         const SolveOptions& options, const Seen& seen) {
  SolveReport report;
  std::size_t block = 0;
  for (const auto& b : blocks) {
    const auto seen_here = [&](int k, double last, const Progress<double, int>& p) { seen(block, k, last, p); };
    report.ok = solve_block<Lu>(b, w, sizes, options, report, seen_here);
    if (!report.ok) return report;
    ++block;
  }
  finish.run(w);
  return report;
}

}  // namespace rattleback::newton
