#include "engine/text/dense_text.hpp"

#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "step/starting_values.hpp"

namespace rattleback {

// Declared here and not in math.h: nothing but the compiler is needed.
const char* const kHeadText = R"(double sin(double), cos(double), tan(double), asin(double), acos(double), atan(double);
double sinh(double), cosh(double), tanh(double), exp(double), log(double), sqrt(double), fabs(double);
double pow(double, double), atan2(double, double), hypot(double, double);
#define LARGEST 0x1.fffffffffffffp+1023
struct job {
  double *w, *history;
  int *newest, *far;
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

std::string starting_text(std::size_t width, std::size_t unknowns) {
  std::string out =
      R"(static inline double near_value(const double* x) { return 3.0 * (x[0] - x[-WIDTH]) + x[-2 * WIDTH]; }
static inline double far_value(const double* x) {
  return 8.0 * x[0] + (56.0 * (x[-2 * WIDTH] + x[-4 * WIDTH]) - 28.0 * (x[-WIDTH] + x[-5 * WIDTH]) +
                       (8.0 * x[-6 * WIDTH] - x[-7 * WIDTH] - 70.0 * x[-3 * WIDTH]));
}
static inline void predict(const double* __restrict x, int far, double* __restrict to) {
  if (far)
    for (int i = 0; i < COUNT; ++i) to[i] = far_value(x + i);
  else
    for (int i = 0; i < COUNT; ++i) to[i] = near_value(x + i);
}
static inline double* next_row(double* rows, int* newest) {
  if (*newest == ROWS - 1) {
    for (int i = 0; i < FAR * WIDTH; ++i) rows[i] = rows[(ROWS - FAR) * WIDTH + i];
    *newest = FAR - 1;
  }
  ++*newest;
  return rows + *newest * WIDTH;
}
static __attribute__((cold, noinline)) int far_is_better(const double* x) {
  double near_by = 0.0, far = 0.0;
  for (int i = 0; i < COUNT; ++i) {
    near_by += fabs(x[i] - near_value(x + i - WIDTH));
    far += fabs(x[i] - far_value(x + i - WIDTH));
  }
  return far < near_by ? 1 : 0;
}
)";
  const auto fill = [&](std::string_view name, std::size_t value) {
    const std::string number = std::to_string(value);
    for (std::size_t at = out.find(name); at != std::string::npos; at = out.find(name, at))
      out.replace(at, name.size(), number);
  };
  fill("WIDTH", width);
  fill("COUNT", unknowns);
  fill("ROWS", starting::kRows);
  fill("FAR", starting::kFar);
  return out;
}

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
// of linalg/dense.hpp in their order. Columns are unrolled, so that the pivot's row stays in registers.
std::string factor_text(std::int32_t n) {
  const std::int32_t width = padded(n);
  std::string out;
  const auto put = [&]<class... Args>(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(out), text, std::forward<Args>(args)...);
  };
  put(R"(static __attribute__((noinline)) void swap{0}(double* restrict lu, double* restrict lower, int* restrict perm, int k,
                                           int p) {{
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
static __attribute__((noinline)) int factor{0}(double* restrict const lu, double* restrict const lower,
                                               int* restrict const perm, double* restrict const scale) {{
  double pivot, inverse, *row;
  int p, i;
  for (i = 0; i < {0}; ++i) {{
    double big = 0.0, t;
    row = lu + i * {1};
)",
      n, width);
  for (std::int32_t j = 0; j < n; ++j) put("    big = fabs(row[{0}]) > big ? fabs(row[{0}]) : big;\n", j);
  put("    if (!(big > 1e-280 && big < 1e280)) return 0;\n    t = scale[i] = row_scale(big);\n    perm[i] = i;\n");
  for (std::int32_t j = 0; j < width; j += 4) put("    *(lanes*)(row + {}) *= t;\n", j);
  put("  }}\n");
  for (std::int32_t k = 0; k < n; ++k) {
    put("  p = {0};\n  pivot = fabs(lu[{1}]);\n", k, k * width + k);
    if (k + 1 < n)
      put("  for (i = {0}, row = lu + {1}; i < {2}; ++i, row += {3})\n"
          "    if (fabs(*row) > pivot) {{ p = i; pivot = fabs(*row); }}\n",
          k + 1, (k + 1) * width + k, n, width);
    put("  if (!(pivot > 1e-300)) return 0;\n");
    if (k + 1 < n) put("  if (p != {0}) swap{1}(lu, lower, perm, {0}, p);\n", k, n);
    put("  inverse = 1.0 / lu[{0}];\n  lu[{0}] = inverse;\n", k * width + k);
    if (k + 1 == n) break;
    const std::int32_t first = (k + 1) / 4 * 4;
    put("  {{\n");
    for (std::int32_t j = first; j < width; j += 4)
      put("    const lanes u{0} = *(lanes*)(lu + {1});\n", j, k * width + j);
    put("    for (i = {0}, row = lu + {1}; i < {2}; ++i, row += {3}) {{\n"
        "      const double f = row[{4}] * inverse;\n      lower[{5} + i] = f;\n      if (f == 0.0) continue;\n",
        k + 1, (k + 1) * width, n, width, k, k * width);
    for (std::int32_t j = first; j < width; j += 4) put("      *(lanes*)(row + {0}) -= f * u{0};\n", j);
    put("    }}\n  }}\n");
  }
  put("  return 1;\n}}\n");
  put(R"(static __attribute__((noinline)) void substitute{0}(const double* restrict const lu,
                                                    const double* restrict const lower, const int* restrict const perm,
                                                    const double* restrict const scale, const double* restrict const b,
                                                    double* restrict const x) {{
  double s;
  for (int i = 0; i < {0}; ++i) x[i] = b[perm[i]] * scale[perm[i]];
)",
      n);
  for (std::int32_t j = 0; j + 1 < n; ++j) {
    put("  s = x[{}];\n", j);
    std::int32_t i = j + 1;
    for (; i < n && i % 4 != 0; ++i) put("  x[{}] -= lower[{}] * s;\n", i, j * width + i);
    for (; i < n; i += 4) put("  *(lanes*)(x + {}) -= *(const lanes*)(lower + {}) * s;\n", i, j * width + i);
  }
  for (std::int32_t i = n - 1; i >= 0; --i) {
    put("  s = x[{}];\n", i);
    for (std::int32_t j = i + 1; j < n; ++j) put("  s -= lu[{}] * x[{}];\n", i * width + j, j);
    put("  x[{}] = s * lu[{}];\n", i, i * width + i);
  }
  put("}}\n");
  return out;
}

}  // namespace rattleback
