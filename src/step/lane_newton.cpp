#include "step/lane_newton.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "linalg/dense.hpp"
#include "step/block_newton.hpp"
#include "step/starting_values.hpp"

namespace rattleback {
namespace {

constexpr int kWidth = LaneNewton::kWidth;

template <class Work>
void each_lane(std::uint32_t lanes, const Work& work) {
  for (; lanes != 0; lanes &= lanes - 1) work(static_cast<std::size_t>(std::countr_zero(lanes)));
}

double& at(double* w, std::int32_t slot, std::size_t lane) { return w[static_cast<std::size_t>(slot) * kWidth + lane]; }

}  // namespace

LaneNewton::LaneNewton(const Plan& plan) : plan_(plan) {
  std::size_t n = 0;
  for (const Plan::Block& b : plan.blocks()) n = std::max(n, static_cast<std::size_t>(b.size));
  lu_.resize(kWidth * n * n);
  pivots_.resize(kWidth * 2 * n);
  r_.resize(n);
  delta_.resize(n);
  convergence_.reserve(kWidth);
}

// With the leading matrix. A lane that needs the exact one has not arrived.
std::uint32_t LaneNewton::solve_leading(const Plan::Block& b, double* w, const std::array<Sizes, kWidth>& sizes,
                                        const SolveOptions& options, std::uint32_t going) {
  const LeadingSlots& d = *b.leading;
  const auto n = static_cast<std::size_t>(b.size), m = static_cast<std::size_t>(d.size);
  const std::int32_t correction = b.pivots + 2 * b.size;
  std::uint32_t arrived = 0;
  std::vector<Convergence>& convergence = convergence_;
  convergence.assign(kWidth, Convergence(options));
  for (int k = 1; k <= options.max_iterations && going != 0; ++k) {
    b.residual.run_lanes<kWidth>(w);
    if (k == 1) d.matrix.run_lanes<kWidth>(w);
    d.right.run_lanes<kWidth>(w);
    each_lane(going, [&](std::size_t l) {
      double *const lu = lu_.data() + l * n * n, *const perm = pivots_.data() + l * 2 * n, *const scale = perm + m;
      const double S = at(w, d.S, l);
      if (m == 1) {
        if (k == 1 && !(S != 0.0 && std::isfinite(S))) going &= ~(1U << l);
        at(w, d.y, l) = at(w, d.rhs, l) / S;
        return;
      }
      if (k == 1) {
        for (std::size_t i = 0; i < m * m; ++i) lu[i] = at(w, d.S + static_cast<std::int32_t>(i), l);
        if (!factor_in_place(lu, perm, scale, d.size)) {
          going &= ~(1U << l);
          return;
        }
      }
      for (std::size_t i = 0; i < m; ++i) r_[i] = at(w, d.rhs + static_cast<std::int32_t>(i), l);
      solve_factored(lu, perm, scale, r_.data(), delta_.data(), d.size);
      for (std::size_t i = 0; i < m; ++i) at(w, d.y + static_cast<std::int32_t>(i), l) = delta_[i];
    });
    d.expand.run_lanes<kWidth>(w);
    each_lane(going, [&](std::size_t l) {
      const std::uint32_t bit = 1U << l;
      for (std::size_t i = 0; i < n; ++i) delta_[i] = at(w, correction + static_cast<std::int32_t>(i), l);
      const auto in_lane = [&](std::int32_t slot) -> double& { return at(w, slot, l); };
      double residual = 0.0;
      const Correction c = newton::apply_correction(b, delta_.data(), sizes[l], in_lane, &residual);
      going &= ~bit;
      if (!c.finite) return;
      if (k == 1 && c.size > starting::kRough) rough_ |= bit;
      if (convergence[l].arrived(c, false, true, k, [] { return false; })) {
        if (!convergence[l].ran_away(c)) arrived |= bit;
        return;
      }
      if (!newton::leads_too_slowly(convergence[l].progress())) going |= bit;
    });
  }
  return arrived;
}

std::uint32_t LaneNewton::solve_block(const Plan::Block& b, double* w, const std::array<Sizes, kWidth>& sizes,
                                      const SolveOptions& options, std::uint32_t active) {
  std::uint32_t arrived = 0, going = active;
  b.before.run_lanes<kWidth>(w);
  if (b.linear && b.size == 1) {
    b.residual.run_lanes<kWidth>(w);
    each_lane(active, [&](std::size_t l) {
      at(w, b.unknowns[0], l) -= at(w, b.r, l) / at(w, b.J, l);
      if (at(w, b.J, l) != 0.0) arrived |= 1U << l;
    });
    return arrived;
  }
  if (b.leading) return solve_leading(b, w, sizes, options, active);
  const auto n = static_cast<std::size_t>(b.size);
  std::uint32_t current = active;  // lanes that use the matrix of the current point
  Convergence fresh(options);
  std::array<Convergence, kWidth> convergence = {fresh, fresh, fresh, fresh, fresh, fresh, fresh, fresh,
                                                 fresh, fresh, fresh, fresh, fresh, fresh, fresh, fresh};
  for (int k = 1; k <= options.max_iterations && going != 0; ++k) {
    b.residual.run_lanes<kWidth>(w);
    if ((current & going) != 0) b.jacobian.run_lanes<kWidth>(w);
    each_lane(going, [&](std::size_t l) {
      const std::uint32_t bit = 1U << l;
      const bool now = (current & bit) != 0;
      double *const lu = lu_.data() + l * n * n, *const perm = pivots_.data() + l * 2 * n, *const scale = perm + n;
      const double J = at(w, b.J, l);
      going &= ~bit;  // until it is known that this lane goes on
      if (b.size == 1) {
        if (now && !(J != 0.0 && std::isfinite(J))) return;
        delta_[0] = at(w, b.r, l) / J;
      } else {
        if (now) {
          for (std::size_t i = 0; i < n * n; ++i) lu[i] = at(w, b.J + static_cast<std::int32_t>(i), l);
          if (!factor_in_place(lu, perm, scale, b.size)) return;
        }
        for (std::size_t i = 0; i < n; ++i) r_[i] = at(w, b.r + static_cast<std::int32_t>(i), l);
        solve_factored(lu, perm, scale, r_.data(), delta_.data(), b.size);
      }
      const auto in_lane = [&](std::int32_t slot) -> double& { return at(w, slot, l); };
      double residual = 0.0;
      const Correction c = newton::apply_correction(b, delta_.data(), sizes[l], in_lane, &residual);
      if (!c.finite) return;
      if (b.linear) {
        arrived |= bit;
        return;
      }
      if (k == 1 && c.size > starting::kRough) rough_ |= bit;
      const auto rounding = [&] { return newton::residual_is_rounding(b, sizes[l], in_lane); };
      if (convergence[l].arrived(c, now, false, k, rounding)) {
        if (!convergence[l].ran_away(c)) arrived |= bit;
        return;
      }
      going |= bit;
      current = b.size <= newton::kFullNewton || convergence[l].progress().ratio > newton::kRefresh ? current | bit
                                                                                                    : current & ~bit;
    });
  }
  return arrived;
}

std::uint32_t LaneNewton::solve(double* w, const std::array<Sizes, kWidth>& sizes, const SolveOptions& options,
                                std::uint32_t active) {
  rough_ = 0;
  for (const Plan::Block& b : plan_.blocks()) active = solve_block(b, w, sizes, options, active);
  plan_.finish().run_lanes<kWidth>(w);
  return active;
}

}  // namespace rattleback
