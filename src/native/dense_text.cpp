#include "native/dense_text.hpp"

#include <iterator>

#include <fmt/format.h>

namespace rattleback {

// Declared here and not in math.h: nothing but the compiler is needed.
const char* const kHeadText = R"(double sin(double), cos(double), tan(double), asin(double), acos(double), atan(double);
double sinh(double), cosh(double), tanh(double), exp(double), log(double), sqrt(double), fabs(double);
double pow(double, double), atan2(double, double), hypot(double, double);
#define LARGEST 0x1.fffffffffffffp+1023
struct job {
  double *w, *history;
  int* newest;
  double *multipliers, *saved;
  double t_base, h, h_before, tolerance, at;
  long long count, steps, done, iterations;
  int most, max_newton, part, spent;
};
typedef double lanes __attribute__((vector_size(32), aligned(8), may_alias));
static inline double larger(double a, double b) { return a < b ? b : a; }
static inline double row_scale(double big) {
  union { double x; unsigned long long bits; } u;
  u.x = big;
  u.bits = (2046 - (u.bits >> 52)) << 52;
  return u.x;
}
)";

const char* const kLookUpText = R"(static double look_up(const double* at, int n, double x, int slope) {
  const double* const value = at + n;
  int low = 0, high = n;
  double rise;
  if (!(x >= at[0]) || !(x < at[n - 1])) {
    if (x != x) return x;
    return slope ? 0.0 : value[x < at[0] ? 0 : n - 1];
  }
  while (low < high) {
    const int middle = (low + high) / 2;
    if (x < at[middle]) high = middle; else low = middle + 1;
  }
  --low;
  rise = (value[low + 1] - value[low]) / (at[low + 1] - at[low]);
  return slope ? rise : value[low] + rise * (x - at[low]);
}
)";

std::string unrolled_solve_text(std::int32_t n) {
  std::string out;
  const auto put = [&]<class... Args>(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(out), text, std::forward<Args>(args)...);
  };
  put("static inline __attribute__((always_inline)) int solve{}(", n);
  for (std::int32_t i = 0; i < n; ++i)
    for (std::int32_t j = 0; j < n; ++j) put("double a{}{}, ", i, j);
  for (std::int32_t i = 0; i < n; ++i) put("double b{}, ", i);
  for (std::int32_t i = 0; i < n; ++i) put("double* x{}{}", i, i + 1 < n ? ", " : ") {\n");
  put("  double t, big;\n  int p;\n");
  for (std::int32_t i = 0; i < n; ++i) {
    put("  big = fabs(a{}0);\n", i);
    for (std::int32_t j = 1; j < n; ++j) put("  big = fabs(a{0}{1}) > big ? fabs(a{0}{1}) : big;\n", i, j);
    put("  if (!(big > 1e-280 && big < 1e280)) return 0;\n  t = row_scale(big);\n");
    for (std::int32_t j = 0; j < n; ++j) put("  a{}{} *= t;\n", i, j);
    put("  b{} *= t;\n", i);
  }
  for (std::int32_t k = 0; k < n; ++k) {
    if (k + 1 < n) {
      put("  p = {0};\n  big = fabs(a{0}{0});\n", k);
      for (std::int32_t i = k + 1; i < n; ++i)
        put("  if (fabs(a{0}{1}) > big) {{ big = fabs(a{0}{1}); p = {0}; }}\n", i, k);
      for (std::int32_t i = k + 1; i < n; ++i) {
        put("  if (p == {}) {{\n", i);
        for (std::int32_t j = k; j < n; ++j) put("    t = a{0}{2}; a{0}{2} = a{1}{2}; a{1}{2} = t;\n", k, i, j);
        put("    t = b{0}; b{0} = b{1}; b{1} = t;\n  }}\n", k, i);
      }
    }
    put("  if (!(fabs(a{0}{0}) > 1e-300)) return 0;\n  a{0}{0} = 1.0 / a{0}{0};\n", k);
    for (std::int32_t i = k + 1; i < n; ++i) {
      put("  t = a{}{} * a{}{};\n", i, k, k, k);
      for (std::int32_t j = k + 1; j < n; ++j) put("  a{}{} -= t * a{}{};\n", i, j, k, j);
      put("  b{} -= t * b{};\n", i, k);
    }
  }
  for (std::int32_t i = n - 1; i >= 0; --i) {
    for (std::int32_t j = i + 1; j < n; ++j) put("  b{} -= a{}{} * b{};\n", i, i, j, j);
    put("  b{0} *= a{0}{0};\n  *x{0} = b{0};\n", i);
  }
  put("  return 1;\n}}\n");
  return out;
}

// Rows are padded to whole vectors. The factors L are kept apart, by columns, so that updates may begin at a whole vector:
// what they spoil to the left of the diagonal is not read again. Every number that is read comes from the operations
// of solve/dense.hpp in their order.
std::string factor_text(std::int32_t n) {
  return fmt::format(
      R"(static __attribute__((noinline)) int factor{0}(double* restrict lu, double* restrict lower, int* restrict perm,
                                               double* restrict scale) {{
  for (int i = 0; i < {0}; ++i) {{
    double big = 0.0, t;
    for (int j = 0; j < {0}; ++j) big = fabs(lu[i * {1} + j]) > big ? fabs(lu[i * {1} + j]) : big;
    if (!(big > 1e-280 && big < 1e280)) return 0;
    t = scale[i] = row_scale(big);
    for (int j = 0; j < {1}; j += 4) *(lanes*)(lu + i * {1} + j) *= t;
    perm[i] = i;
  }}
  for (int k = 0; k < {0}; ++k) {{
    int p = k;
    double pivot = fabs(lu[k * {1} + k]), inverse;
    for (int i = k + 1; i < {0}; ++i)
      if (fabs(lu[i * {1} + k]) > pivot) {{ p = i; pivot = fabs(lu[i * {1} + k]); }}
    if (!(pivot > 1e-300)) return 0;
    if (p != k) {{
      const int q = perm[p];
      perm[p] = perm[k];
      perm[k] = q;
      for (int j = 0; j < {1}; j += 4) {{
        const lanes t = *(lanes*)(lu + p * {1} + j);
        *(lanes*)(lu + p * {1} + j) = *(lanes*)(lu + k * {1} + j);
        *(lanes*)(lu + k * {1} + j) = t;
      }}
      for (int c = 0; c < k; ++c) {{
        const double t = lower[c * {1} + p];
        lower[c * {1} + p] = lower[c * {1} + k];
        lower[c * {1} + k] = t;
      }}
    }}
    inverse = 1.0 / lu[k * {1} + k];
    lu[k * {1} + k] = inverse;
    for (int i = k + 1; i < {0}; ++i) {{
      const double f = lu[i * {1} + k] * inverse;
      lower[k * {1} + i] = f;
      if (f == 0.0) continue;
      for (int j = (k + 1) & ~3; j < {1}; j += 4) *(lanes*)(lu + i * {1} + j) -= f * *(lanes*)(lu + k * {1} + j);
    }}
  }}
  return 1;
}}
static __attribute__((noinline)) void substitute{0}(const double* restrict lu, const double* restrict lower,
                                                    const int* restrict perm, const double* restrict scale,
                                                    const double* restrict b, double* restrict x) {{
  for (int i = 0; i < {0}; ++i) x[i] = b[perm[i]] * scale[perm[i]];
  for (int j = 0; j < {0}; ++j) {{
    const double f = x[j];
    int i = j + 1;
    for (; i < {0} && (i & 3) != 0; ++i) x[i] -= lower[j * {1} + i] * f;
    for (; i < {0}; i += 4) *(lanes*)(x + i) -= *(const lanes*)(lower + j * {1} + i) * f;
  }}
  for (int i = {0} - 1; i >= 0; --i) {{
    double s = x[i];
    for (int j = i + 1; j < {0}; ++j) s -= lu[i * {1} + j] * x[j];
    x[i] = s * lu[i * {1} + i];
  }}
}}
)",
      n, padded(n));
}

}  // namespace rattleback
