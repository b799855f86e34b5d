// LU factorisation with partial pivoting of banded matrices, in place and without allocation. As in dense.hpp, rows are
// scaled by powers of two first.
//
// Row i holds the columns i-kl .. i+ku+kl; the last kl of them are room for what row exchanges bring in.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

namespace rattleback {

struct Band {
  std::int32_t n = 0, kl = 0, ku = 0;
  [[nodiscard]] std::int32_t width() const { return 2 * kl + ku + 1; }
  [[nodiscard]] std::int64_t place(std::int32_t row, std::int32_t col) const {
    return static_cast<std::int64_t>(row) * width() + (col - row + kl);
  }
};

inline bool factor_band(const Band& band, double* a, std::int32_t* pivot, double* scale) {
  const std::int32_t n = band.n, kl = band.kl, ku = band.ku, width = 2 * kl + ku + 1;
  for (std::int32_t i = 0; i < n; ++i) {
    double* const row = a + static_cast<std::int64_t>(i) * width;
    double big = 0.0;
    for (std::int32_t j = 0; j <= kl + ku; ++j) big = std::fabs(row[j]) > big ? std::fabs(row[j]) : big;
    if (!(big > 1e-280 && big < 1e280)) return false;
    scale[i] = std::bit_cast<double>((2046 - (std::bit_cast<std::uint64_t>(big) >> 52)) << 52);
    for (std::int32_t j = 0; j <= kl + ku; ++j) row[j] *= scale[i];
  }
  for (std::int32_t k = 0; k < n; ++k) {
    const std::int32_t below = std::min(kl, n - 1 - k), right = std::min(ku + kl, n - 1 - k);
    double* const at = a + static_cast<std::int64_t>(k) * width + kl;  // element (k, k)
    // Element (k+i, k) is width-1 further on for each row.
    std::int32_t p = 0;
    for (std::int32_t i = 1; i <= below; ++i)
      if (std::fabs(at[static_cast<std::int64_t>(i) * (width - 1)]) >
          std::fabs(at[static_cast<std::int64_t>(p) * (width - 1)]))
        p = i;
    pivot[k] = p;
    if (p != 0) {
      double* const other = at + static_cast<std::int64_t>(p) * (width - 1);
      for (std::int32_t j = 0; j <= right; ++j) std::swap(at[j], other[j]);
    }
    if (!(std::fabs(at[0]) > 1e-300)) return false;
    const double inverse = 1.0 / at[0];
    at[0] = inverse;
    for (std::int32_t i = 1; i <= below; ++i) {
      double* const row = at + static_cast<std::int64_t>(i) * (width - 1);
      if (row[0] == 0.0) continue;
      const double f = row[0] * inverse;
      row[0] = f;
      for (std::int32_t j = 1; j <= right; ++j) row[j] -= f * at[j];
    }
  }
  return true;
}

// b becomes A^-1 b.
inline void solve_band(const Band& band, const double* a, const std::int32_t* pivot, const double* scale, double* b) {
  const std::int32_t n = band.n, kl = band.kl, ku = band.ku, width = 2 * kl + ku + 1;
  for (std::int32_t i = 0; i < n; ++i) b[i] *= scale[i];
  for (std::int32_t k = 0; k < n; ++k) {
    if (pivot[k] != 0) std::swap(b[k], b[k + pivot[k]]);
    const std::int32_t below = std::min(kl, n - 1 - k);
    const double* const at = a + static_cast<std::int64_t>(k) * width + kl;
    for (std::int32_t i = 1; i <= below; ++i) b[k + i] -= at[static_cast<std::int64_t>(i) * (width - 1)] * b[k];
  }
  for (std::int32_t k = n - 1; k >= 0; --k) {
    const std::int32_t right = std::min(ku + kl, n - 1 - k);
    const double* const at = a + static_cast<std::int64_t>(k) * width + kl;
    double s = b[k];
    for (std::int32_t j = 1; j <= right; ++j) s -= at[j] * b[k + j];
    b[k] = s * at[0];
  }
}

}  // namespace rattleback
