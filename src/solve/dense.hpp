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

// Size: std::int32_t, or a number that the compiler knows, for small matrices. The operations are the same.
template <class Size>
inline bool factor(double* lu, double* perm, double* scale, Size n) {
  for (std::int32_t i = 0; i < n; ++i) {
    double big = 0.0;
    for (std::int32_t j = 0; j < n; ++j) big = std::fabs(lu[i * n + j]) > big ? std::fabs(lu[i * n + j]) : big;
    if (!(big > 1e-280 && big < 1e280)) return false;
    // 2^-exponent(big), a power of two, so that scaling is exact.
    const std::uint64_t exponent = std::bit_cast<std::uint64_t>(big) >> 52;
    scale[i] = std::bit_cast<double>((2046 - exponent) << 52);
    if (scale[i] != 1.0)
      for (std::int32_t j = 0; j < n; ++j) lu[i * n + j] *= scale[i];
    perm[i] = i;
  }
  for (std::int32_t k = 0; k < n; ++k) {
    std::int32_t p = k;
    double largest = std::fabs(lu[k * n + k]);
    for (std::int32_t i = k + 1; i < n; ++i)
      if (const double size = std::fabs(lu[i * n + k]); size > largest) {
        largest = size;
        p = i;
      }
    const double pivot = lu[p * n + k];
    if (!(std::fabs(pivot) > 1e-300)) return false;
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
#pragma GCC unroll 8
  for (std::int32_t i = 0; i < N; ++i) {
    const auto p = static_cast<std::int32_t>(perm[i]);
    y[i] = b[p] * scale[p];
#pragma GCC unroll 8
    for (std::int32_t j = 0; j < i; ++j) y[i] -= lu[i * N + j] * y[j];
  }
#pragma GCC unroll 8
  for (std::int32_t i = N - 1; i >= 0; --i) {
#pragma GCC unroll 8
    for (std::int32_t j = i + 1; j < N; ++j) y[i] -= lu[i * N + j] * y[j];
    y[i] *= lu[i * N + i];
  }
#pragma GCC unroll 8
  for (std::int32_t i = 0; i < N; ++i) x[i] = y[i];
}

inline void solve(const double* lu, const double* perm, const double* scale, const double* b, double* x,
                  std::int32_t n) {
  const auto right = [&](std::int32_t i) {
    const auto p = static_cast<std::int32_t>(perm[i]);
    return b[p] * scale[p];
  };
  // Four rows at a time: each subtraction waits for the one before it in its row, and here others need not wait.
  std::int32_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const double *const l0 = lu + i * n, *const l1 = l0 + n, *const l2 = l1 + n, *const l3 = l2 + n;
    double s0 = right(i), s1 = right(i + 1), s2 = right(i + 2), s3 = right(i + 3);
    for (std::int32_t j = 0; j < i; ++j) {
      s0 -= l0[j] * x[j];
      s1 -= l1[j] * x[j];
      s2 -= l2[j] * x[j];
      s3 -= l3[j] * x[j];
    }
    s1 -= l1[i] * s0;
    s2 -= l2[i] * s0;
    s3 -= l3[i] * s0;
    s2 -= l2[i + 1] * s1;
    s3 -= l3[i + 1] * s1;
    s3 -= l3[i + 2] * s2;
    x[i] = s0;
    x[i + 1] = s1;
    x[i + 2] = s2;
    x[i + 3] = s3;
  }
  for (; i < n; ++i) {
    double s = right(i);
    for (std::int32_t j = 0; j < i; ++j) s -= lu[i * n + j] * x[j];
    x[i] = s;
  }
  for (i = n - 1; i >= 0; --i) {
    double s = x[i];
    for (std::int32_t j = i + 1; j < n; ++j) s -= lu[i * n + j] * x[j];
    x[i] = s * lu[i * n + i];
  }
}

// work(n), with the small sizes as numbers that the compiler knows.
template <class Work>
inline auto of_size(std::int32_t n, const Work& work) {
  switch (n) {
    case 2: return work(std::integral_constant<std::int32_t, 2>{});
    case 3: return work(std::integral_constant<std::int32_t, 3>{});
    case 4: return work(std::integral_constant<std::int32_t, 4>{});
    case 5: return work(std::integral_constant<std::int32_t, 5>{});
    case 6: return work(std::integral_constant<std::int32_t, 6>{});
    case 7: return work(std::integral_constant<std::int32_t, 7>{});
    case 8: return work(std::integral_constant<std::int32_t, 8>{});
    default: return work(n);
  }
}

}  // namespace dense

// lu holds A (row-major n x n) on entry and its factors on exit; perm and scale have n elements. False: singular.
inline bool factor_in_place(double* lu, double* perm, double* scale, std::int32_t n) {
  return dense::of_size(n, [&](auto size) { return dense::factor(lu, perm, scale, size); });
}

// x = A^-1 b with the factors from above; x and b must not overlap.
inline void solve_factored(const double* lu, const double* perm, const double* scale, const double* b, double* x,
                           std::int32_t n) {
  dense::of_size(n, [&](auto size) { dense::solve(lu, perm, scale, b, x, size); });
}

}  // namespace rattleback
