// LU factorisation with partial pivoting of small dense matrices, in place and without allocation. Rows are
// equilibrated, so that equations of very different size (a mass of 1e-12 beside one of 1) do not spoil the pivoting.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace rattleback {

namespace dense {

// Matrices with rows or pivots outside of these are singular.
inline constexpr double kSmallestRow = 1e-280, kLargestRow = 1e280, kSmallestPivot = 1e-300;

// Size: std::int32_t, or a number that the compiler knows, for small matrices. The operations are the same.
template <class Size>
inline bool factor(double* lu, double* perm, double* scale, Size n) {
  for (std::int32_t i = 0; i < n; ++i) {
    double big = 0.0;
    for (std::int32_t j = 0; j < n; ++j) big = std::fabs(lu[i * n + j]) > big ? std::fabs(lu[i * n + j]) : big;
    if (!(big > kSmallestRow && big < kLargestRow)) return false;
    // 2^-exponent(big), a power of two, so that scaling is exact.
    const std::uint64_t exponent = std::bit_cast<std::uint64_t>(big) >> 52;
    scale[i] = std::bit_cast<double>((2046 - exponent) << 52);
    if (scale[i] != 1.0)
      for (std::int32_t j = 0; j < n; ++j) lu[i * n + j] *= scale[i];
    perm[i] = i;
  }
  for (std::int32_t k = 0; k < n; ++k) {
    std::int32_t p = k;
    for (std::int32_t i = k + 1; i < n; ++i)
      if (std::fabs(lu[i * n + k]) > std::fabs(lu[p * n + k])) p = i;
    const double pivot = lu[p * n + k];
    if (!(std::fabs(pivot) > kSmallestPivot)) return false;
    if (p != k) {
      for (std::int32_t j = 0; j < n; ++j) std::swap(lu[p * n + j], lu[k * n + j]);
      std::swap(perm[p], perm[k]);
    }
    const double inverse = 1.0 / pivot;
    lu[k * n + k] = inverse;
    for (std::int32_t i = k + 1; i < n; ++i) {
      const double f = lu[i * n + k] * inverse;
      lu[i * n + k] = f;
      if (f == 0.0) continue;
      for (std::int32_t j = k + 1; j < n; ++j) lu[i * n + j] -= f * lu[k * n + j];
    }
  }
  return true;
}

// A few unknowns, which stay in registers.
template <std::int32_t N>
inline void solve(const double* lu, const double* perm, const double* scale, const double* b, double* x,
                  std::integral_constant<std::int32_t, N> /*size*/) {
  double y[N];
#pragma GCC unroll 16
  for (std::int32_t i = 0; i < N; ++i) {
    const auto p = static_cast<std::int32_t>(perm[i]);
    y[i] = b[p] * scale[p];
#pragma GCC unroll 16
    for (std::int32_t j = 0; j < i; ++j) y[i] -= lu[i * N + j] * y[j];
  }
#pragma GCC unroll 16
  for (std::int32_t i = N - 1; i >= 0; --i) {
#pragma GCC unroll 16
    for (std::int32_t j = i + 1; j < N; ++j) y[i] -= lu[i * N + j] * y[j];
    y[i] *= lu[i * N + i];
  }
#pragma GCC unroll 16
  for (std::int32_t i = 0; i < N; ++i) x[i] = y[i];
}

inline void solve(const double* lu, const double* perm, const double* scale, const double* b, double* x,
                  std::int32_t n) {
  for (std::int32_t i = 0; i < n; ++i) {
    const auto p = static_cast<std::int32_t>(perm[i]);
    double s = b[p] * scale[p];
    for (std::int32_t j = 0; j < i; ++j) s -= lu[i * n + j] * x[j];
    x[i] = s;
  }
  for (std::int32_t i = n - 1; i >= 0; --i) {
    double s = x[i];
    for (std::int32_t j = i + 1; j < n; ++j) s -= lu[i * n + j] * x[j];
    x[i] = s * lu[i * n + i];
  }
}

// Both are long when they are unrolled, and called from many places: hence not inlined.
template <std::int32_t N>
using Fixed = std::integral_constant<std::int32_t, N>;

}  // namespace dense

// lu holds A (row-major n x n) on entry and its factors on exit; perm and scale have n elements. False: singular.
[[gnu::noinline]] inline bool factor_in_place(double* lu, double* perm, double* scale, std::int32_t n) {
  switch (n) {
    case 2: return dense::factor(lu, perm, scale, dense::Fixed<2>{});
    case 3: return dense::factor(lu, perm, scale, dense::Fixed<3>{});
    case 4: return dense::factor(lu, perm, scale, dense::Fixed<4>{});
    default: return dense::factor(lu, perm, scale, n);
  }
}

// x = A^-1 b with the factors from above; x and b must not overlap.
[[gnu::noinline]] inline void solve_factored(const double* lu, const double* perm, const double* scale, const double* b,
                                             double* x, std::int32_t n) {
  switch (n) {
    case 2: return dense::solve(lu, perm, scale, b, x, dense::Fixed<2>{});
    case 3: return dense::solve(lu, perm, scale, b, x, dense::Fixed<3>{});
    case 4: return dense::solve(lu, perm, scale, b, x, dense::Fixed<4>{});
    case 5: return dense::solve(lu, perm, scale, b, x, dense::Fixed<5>{});
    case 6: return dense::solve(lu, perm, scale, b, x, dense::Fixed<6>{});
    case 7: return dense::solve(lu, perm, scale, b, x, dense::Fixed<7>{});
    case 8: return dense::solve(lu, perm, scale, b, x, dense::Fixed<8>{});
    case 9: return dense::solve(lu, perm, scale, b, x, dense::Fixed<9>{});
    case 10: return dense::solve(lu, perm, scale, b, x, dense::Fixed<10>{});
    case 11: return dense::solve(lu, perm, scale, b, x, dense::Fixed<11>{});
    case 12: return dense::solve(lu, perm, scale, b, x, dense::Fixed<12>{});
    case 13: return dense::solve(lu, perm, scale, b, x, dense::Fixed<13>{});
    case 14: return dense::solve(lu, perm, scale, b, x, dense::Fixed<14>{});
    case 15: return dense::solve(lu, perm, scale, b, x, dense::Fixed<15>{});
    case 16: return dense::solve(lu, perm, scale, b, x, dense::Fixed<16>{});
    default: return dense::solve(lu, perm, scale, b, x, n);
  }
}

}  // namespace rattleback
