#include "engine/text/solve_text.hpp"

#include <iterator>

#include <fmt/format.h>

#include "linalg/dense.hpp"

namespace rattleback {
namespace {

// Of a row, and of a pivot, that are not singular. both: how a condition and another one are said.
std::string row_fits(const char* both) {
  return fmt::format("(big > {}){}(big < {})", literal(dense::kSmallestRow), both, literal(dense::kLargestRow));
}
std::string pivot_fits(const std::string& size) { return fmt::format("{} > {}", size, literal(dense::kSmallestPivot)); }

}  // namespace

std::string unrolled_solve_text(std::int32_t n, Words words) {
  std::string out;
  const auto put = [&]<class... Args>(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(out), text, std::forward<Args>(args)...);
  };
  const bool wide = words.wide;
  // A matrix for which this does not hold is singular.
  const auto need = [&](const std::string& condition) {
    put(fmt::runtime(wide ? "  bad |= ~({});\n" : "  if (!({})) return 1;\n"), condition);
  };
  const auto size = [&](std::int32_t i, std::int32_t j) { return words.size_of(fmt::format("a{}{}", i, j)); };
  const auto swap = [&](const std::string& x, const std::string& y) {
    put(fmt::runtime(wide ? "    t = pick(m, {1}, {0}); {1} = pick(m, {0}, {1}); {0} = t;\n"
                          : "    t = {0}; {0} = {1}; {1} = t;\n"),
        x, y);
  };
  put("static inline __attribute__((always_inline)) {} solve{}(", words.truth(), n);
  for (std::int32_t i = 0; i < n; ++i)
    for (std::int32_t j = 0; j < n; ++j) put("{} a{}{}, ", words.type(), i, j);
  for (std::int32_t i = 0; i < n; ++i) put("{} b{}, ", words.type(), i);
  for (std::int32_t i = 0; i < n; ++i) put("{}* x{}{}", words.type(), i, i + 1 < n ? ", " : ") {\n");
  put("  {} t, big;\n  {}\n", words.type(), wide ? "i bad = WHOLE(0), p, m;" : "int p;");
  for (std::int32_t i = 0; i < n; ++i) {
    put("  big = {};\n", size(i, 0));
    for (std::int32_t j = 1; j < n; ++j) put("  big = {};\n", words.larger("big", size(i, j)));
    need(row_fits(wide ? " & " : " && "));
    put("  t = row_scale{}(big);\n", wide ? "s" : "");
    for (std::int32_t j = 0; j < n; ++j) put("  a{}{} *= t;\n", i, j);
    put("  b{} *= t;\n", i);
  }
  for (std::int32_t k = 0; k < n; ++k) {
    if (k + 1 < n) {
      put(fmt::runtime(wide ? "  p = WHOLE({});\n" : "  p = {};\n"), k);
      put("  big = {};\n", size(k, k));
      for (std::int32_t i = k + 1; i < n; ++i)
        put(fmt::runtime(wide ? "  m = {0} > big;\n  big = pick(m, {0}, big);\n  p = pick_whole(m, WHOLE({1}), p);\n"
                              : "  if ({0} > big) {{ big = {0}; p = {1}; }}\n"),
            size(i, k), i);
      for (std::int32_t i = k + 1; i < n; ++i) {
        put(fmt::runtime(wide ? "  m = p == WHOLE({});\n  if (some(m)) {{\n" : "  if (p == {}) {{\n"), i);
        for (std::int32_t j = k; j < n; ++j) swap(fmt::format("a{}{}", k, j), fmt::format("a{}{}", i, j));
        swap(fmt::format("b{}", k), fmt::format("b{}", i));
        put("  }}\n");
      }
    }
    need(pivot_fits(size(k, k)));
    put("  a{0}{0} = 1.0 / a{0}{0};\n", k);
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
  put("  return {};\n}}\n", wide ? "bad" : "0");
  return out;
}

// Rows are padded to whole vectors. The factors L are kept apart, by columns, so that updates may begin at a whole
// vector: what they spoil to the left of the diagonal is not read again. Every number that is read comes from the
// operations of linalg/dense.hpp in their order. Columns are unrolled, so that the pivot's row stays in registers.
std::string factor_text(std::int32_t n) {
  const std::int32_t width = padded(n);
  std::string out;
  const auto put = [&]<class... Args>(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(out), text, std::forward<Args>(args)...);
  };
  put(R"(static __attribute__((noinline)) void swap{0}(double* __restrict lu, double* __restrict lower,
                                              int* __restrict perm, int k, int p) {{
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
static __attribute__((noinline)) int factor{0}(double* __restrict const lu, double* __restrict const lower,
                                               int* __restrict const perm, double* __restrict const scale) {{
  double pivot, inverse, *row;
  int p, i;
  for (i = 0; i < {0}; ++i) {{
    double big = 0.0, t;
    row = lu + i * {1};
)",
      n, width);
  for (std::int32_t j = 0; j < n; ++j) put("    big = fabs(row[{0}]) > big ? fabs(row[{0}]) : big;\n", j);
  put("    if (!({})) return 1;\n    t = scale[i] = row_scale(big);\n    perm[i] = i;\n", row_fits(" && "));
  for (std::int32_t j = 0; j < width; j += 4) put("    *(lanes*)(row + {}) *= t;\n", j);
  put("  }}\n");
  for (std::int32_t k = 0; k < n; ++k) {
    put("  p = {0};\n  pivot = fabs(lu[{1}]);\n", k, k * width + k);
    if (k + 1 < n)
      put("  for (i = {0}, row = lu + {1}; i < {2}; ++i, row += {3})\n"
          "    if (fabs(*row) > pivot) {{ p = i; pivot = fabs(*row); }}\n",
          k + 1, (k + 1) * width + k, n, width);
    put("  if (!({})) return 1;\n", pivot_fits("pivot"));
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
  put("  return 0;\n}}\n");
  put(R"(static __attribute__((noinline)) void substitute{0}(
    const double* __restrict const lu, const double* __restrict const lower, const int* __restrict const perm,
    const double* __restrict const scale, const double* __restrict const b, double* __restrict const x) {{
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

// Rows are exchanged only where a lane wants it, and elimination skips what is zero in all lanes. In a lane where the
// factor is zero and in others not, the row stays as it is: 0 times a number would change the sign of a zero.
std::string lane_factor_text(std::int32_t n) {
  return fmt::format(
      R"(static __attribute__((noinline)) i factor{0}(v* __restrict a, v* __restrict lu, i* __restrict perm,
                                                  v* __restrict scale, i which) {{
  i order[{0}], bad = WHOLE(0);
  v rows[{0}];
  for (int r = 0; r < {0}; ++r) {{
    v big = ALL(0.0), t;
    for (int c = 0; c < {0}; ++c) big = most(big, size_of(a[r * {0} + c]));
    bad |= ~({2});
    rows[r] = t = row_scales(big);
    for (int c = 0; c < {0}; ++c) a[r * {0} + c] *= t;
    order[r] = WHOLE(r);
  }}
  for (int k = 0; k < {0}; ++k) {{
    i p = WHOLE(k), m, o;
    v big = size_of(a[k * {0} + k]), inverse, t;
    for (int r = k + 1; r < {0}; ++r) {{
      const v size = size_of(a[r * {0} + k]);
      m = size > big;
      big = pick(m, size, big);
      p = pick_whole(m, WHOLE(r), p);
    }}
    if (some(p != WHOLE(k)))
      for (int r = k + 1; r < {0}; ++r) {{
        m = p == WHOLE(r);
        if (!some(m)) continue;
        for (int c = 0; c < {0}; ++c) {{
          t = pick(m, a[r * {0} + c], a[k * {0} + c]);
          a[r * {0} + c] = pick(m, a[k * {0} + c], a[r * {0} + c]);
          a[k * {0} + c] = t;
        }}
        o = pick_whole(m, order[r], order[k]);
        order[r] = pick_whole(m, order[k], order[r]);
        order[k] = o;
      }}
    bad |= ~({3});
    inverse = 1.0 / a[k * {0} + k];
    a[k * {0} + k] = inverse;
    for (int r = k + 1; r < {0}; ++r) {{
      const v f = a[r * {0} + k] * inverse;
      const i none = f == 0.0;
      a[r * {0} + k] = f;
      if (!some(~none)) continue;
      if (some(none))
        for (int c = k + 1; c < {0}; ++c)
          a[r * {0} + c] = pick(none, a[r * {0} + c], a[r * {0} + c] - f * a[k * {0} + c]);
      else
        for (int c = k + 1; c < {0}; ++c) a[r * {0} + c] -= f * a[k * {0} + c];
    }}
  }}
  for (int c = 0; c < {1}; ++c) lu[c] = pick(which, a[c], lu[c]);
  for (int r = 0; r < {0}; ++r) {{
    perm[r] = pick_whole(which, order[r], perm[r]);
    scale[r] = pick(which, rows[r], scale[r]);
  }}
  return bad;
}}
static __attribute__((noinline)) void substitute{0}(const v* __restrict lu, const i* __restrict perm,
                                                         const v* __restrict scale, const v* __restrict b,
                                                         v* __restrict x) {{
  for (int r = 0; r < {0}; ++r) {{
    if (!some(perm[r] != WHOLE(r)))
      x[r] = b[r] * scale[r];
    else
      for (int l = 0; l < 4; ++l) x[r][l] = b[perm[r][l]][l] * scale[perm[r][l]][l];
  }}
  for (int c = 0; c + 1 < {0}; ++c)
    for (int r = c + 1; r < {0}; ++r) x[r] -= lu[r * {0} + c] * x[c];
  for (int r = {0} - 1; r >= 0; --r) {{
    v s = x[r];
    for (int c = r + 1; c < {0}; ++c) s -= lu[r * {0} + c] * x[c];
    x[r] = s * lu[r * {0} + r];
  }}
}}
)",
      n, n * n, row_fits(" & "), pivot_fits(fmt::format("size_of(a[k * {0} + k])", n)));
}

}  // namespace rattleback
