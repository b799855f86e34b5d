// Corrections of a whole stage system from one factorisation of its saddle-point matrix [M B; K 0] at the start of the
// step: exact for h -> 0, so Newton's iteration with it contracts by O(h). See SaddleHint.
#pragma once

#include "linalg/dense.hpp"
#include "step/equations.hpp"

namespace rattleback {

// M is factored in place; D = (M^-1 B)^T and U = K M^-1 B are formed, U is factored.
inline bool factor_saddle(const SaddleSlots& d, double* w) {
  const std::int32_t n = d.n, m = d.m;
  double *const perm = w + d.pivots, *const scale = perm + n, *const perm_u = scale + n, *const scale_u = perm_u + m;
  if (!factor_in_place(w + d.M, perm, scale, n)) return false;
  for (std::int32_t c = 0; c < m; ++c) solve_factored(w + d.M, perm, scale, w + d.Bt + c * n, w + d.D + c * n, n);
  for (std::int32_t a = 0; a < m; ++a)
    for (std::int32_t c = 0; c < m; ++c) {
      double s = 0.0;
      for (std::int32_t i = 0; i < n; ++i) s += w[d.K + a * n + i] * w[d.D + c * n + i];
      w[d.U + a * m + c] = s;
    }
  return m == 0 || factor_in_place(w + d.U, perm_u, scale_u, m);
}

// delta with (matrix of SaddleHint) delta = r:
//   dV_i = M^-1 r_i - h M^-1 B sum_j reaction_ij dPsi_j,   (rows reaction) (x) U  h dPsi = sum_i rows_ci K M^-1 r_i - r_c
inline void solve_saddle(const SaddleSlots& d, double* w, const double* r, double* delta) {
  const std::int32_t n = d.n, m = d.m, S = d.stages, s = d.multipliers;
  const double *const perm = w + d.pivots, *const scale = perm + n, *const perm_u = scale + n,
                      *const scale_u = perm_u + m;
  double *const right = w + d.work, *const solved = right + m, *const psi = delta + static_cast<std::ptrdiff_t>(S) * n;
  for (std::int32_t i = 0; i < S; ++i) solve_factored(w + d.M, perm, scale, r + i * n, delta + i * n, n);
  for (std::int32_t k = 0; k < s * m; ++k) psi[k] = 0.0;
  for (std::int32_t c = 0; c < s; ++c) {
    for (std::int32_t a = 0; a < m; ++a) {
      double g = -r[S * n + c * m + a];
      for (std::int32_t i = 0; i < S; ++i) {
        const double weight = d.rows.data()[c * S + i];
        if (weight == 0.0) continue;
        double k = 0.0;
        for (std::int32_t j = 0; j < n; ++j) k += w[d.K + a * n + j] * delta[i * n + j];
        g += weight * k;
      }
      right[a] = g;
    }
    solve_factored(w + d.U, perm_u, scale_u, right, solved, m);
    for (std::int32_t j = 0; j < s; ++j)
      for (std::int32_t a = 0; a < m; ++a) psi[j * m + a] += d.inverse.data()[j * s + c] * solved[a];
  }
  // psi is h dPsi up to here.
  for (std::int32_t i = 0; i < S; ++i)
    for (std::int32_t a = 0; a < m; ++a) {
      double y = 0.0;
      for (std::int32_t j = 0; j < s; ++j) y += d.reaction.data()[i * s + j] * psi[j * m + a];
      for (std::int32_t k = 0; k < n; ++k) delta[i * n + k] -= w[d.D + a * n + k] * y;
    }
  const double h = w[d.h];
  for (std::int32_t k = 0; k < s * m; ++k) psi[k] /= h;
}

}  // namespace rattleback
