#include "engine/text/lanes_solve_text.hpp"

#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "engine/lane_job.hpp"
#include "step/starting_values.hpp"

namespace rattleback {

// v: four doubles; i: four masks or whole numbers. V and I: the same in memory, at any address.
// most() keeps its first argument when they are equal or not numbers, as larger() does.
const char* const kLaneHeadText = R"(struct lane_job {
  double *w, *history;
  int* newest;
  long long* far;
  double* multipliers;
  const double* scale;
  long long* active;
  double t_base, h, h_before, tolerance;
  long long count, steps, done;
  int max_newton;
};
typedef double v __attribute__((vector_size(32)));
typedef long long i __attribute__((vector_size(32)));
typedef unsigned long long u __attribute__((vector_size(32)));
typedef double v_at __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long i_at __attribute__((vector_size(32), aligned(8), may_alias));
#define ALL(x) ((v){(x), (x), (x), (x)})
#define WHOLE(x) ((i){(x), (x), (x), (x)})
#define V(address) (*(v_at*)(address))
#define I(address) (*(i_at*)(address))
#define W(slot, c) (*(v_at*)(w + (slot) * 16 + 4 * (c)))
#define KEEP(address, mask, x) V(address) = pick(mask, x, V(address))
static inline __attribute__((always_inline)) v size_of(v x) { return (v)((i)x & WHOLE(0x7fffffffffffffffLL)); }
#ifdef __AVX__
static inline __attribute__((always_inline)) v pick(i m, v a, v b) { return __builtin_ia32_blendvpd256(b, a, (v)m); }
static inline __attribute__((always_inline)) v most(v a, v b) { return __builtin_ia32_maxpd256(b, a); }
static inline __attribute__((always_inline)) int some(i m) { return __builtin_ia32_movmskpd256((v)m); }
static inline __attribute__((always_inline)) v lane_sqrt(v x) { return __builtin_ia32_sqrtpd256(x); }
#else
static inline __attribute__((always_inline)) v pick(i m, v a, v b) { return (v)(((i)a & m) | ((i)b & ~m)); }
static inline __attribute__((always_inline)) v most(v a, v b) { return pick(a < b, b, a); }
static inline __attribute__((always_inline)) int some(i m) { return (m[0] | m[1] | m[2] | m[3]) != 0; }
static inline v lane_sqrt(v x) { return (v){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])}; }
#endif
static inline __attribute__((always_inline)) v row_scales(v big) { return (v)((2046 - ((u)big >> 52)) << 52); }
#define LANES1(name) static __attribute__((noinline, unused)) v lane_##name(v x) { \
  v y; for (int l = 0; l < 4; ++l) y[l] = name(x[l]); return y; }
#define LANES2(name) static __attribute__((noinline, unused)) v lane_##name(v x, v y) { \
  v z; for (int l = 0; l < 4; ++l) z[l] = name(x[l], y[l]); return z; }
LANES1(sin) LANES1(cos) LANES1(tan) LANES1(asin) LANES1(acos) LANES1(atan) LANES1(sinh) LANES1(cosh) LANES1(tanh)
LANES1(exp) LANES1(log) LANES2(pow) LANES2(atan2) LANES2(hypot)
)";

const char* const kLaneLookUpText = R"(static v lane_look_up(const double* at, int n, v x, int slope) {
  v y;
  for (int l = 0; l < 4; ++l) y[l] = look_up(at, n, x[l], slope);
  return y;
}
)";

std::string lane_starting_text(std::size_t width, std::size_t unknowns) {
  std::string out = R"(#define AGE(k) V(x - (k) * WIDTH)
static inline __attribute__((always_inline)) v near_value(const double* x) { return 3.0 * (AGE(0) - AGE(1)) + AGE(2); }
static inline __attribute__((always_inline)) v far_value(const double* x) {
  return 8.0 * AGE(0) + (56.0 * (AGE(2) + AGE(4)) - 28.0 * (AGE(1) + AGE(5)) + (8.0 * AGE(6) - AGE(7) - 70.0 * AGE(3)));
}
static void make_room(double* rows, int* newest) {
  if (*newest < ROWS - 1) return;
  for (int k = 0; k < FAR * WIDTH; ++k) rows[k] = rows[(ROWS - FAR) * WIDTH + k];
  *newest = FAR - 1;
}
static __attribute__((cold, noinline)) i far_is_better(const double* x) {
  v near_by = ALL(0.0), far = ALL(0.0);
  for (int k = 0; k < COUNT; ++k, x += LANES) {
    near_by += size_of(AGE(0) - near_value(x - WIDTH));
    far += size_of(AGE(0) - far_value(x - WIDTH));
  }
  return far < near_by;
}
)";
  const auto fill = [&](std::string_view name, std::size_t value) {
    const std::string number = std::to_string(value);
    for (std::size_t at = out.find(name); at != std::string::npos; at = out.find(name, at))
      out.replace(at, name.size(), number);
  };
  fill("WIDTH", width * static_cast<std::size_t>(kLaneWidth));
  fill("LANES", static_cast<std::size_t>(kLaneWidth));
  fill("COUNT", unknowns);
  fill("ROWS", starting::kRows);
  fill("FAR", starting::kFar);
  return out;
}

std::string lane_unrolled_solve_text(std::int32_t n) {
  std::string out;
  const auto put = [&]<class... Args>(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(out), text, std::forward<Args>(args)...);
  };
  put("static inline __attribute__((always_inline)) i lane_solve{}(", n);
  for (std::int32_t i = 0; i < n; ++i)
    for (std::int32_t j = 0; j < n; ++j) put("v a{}{}, ", i, j);
  for (std::int32_t i = 0; i < n; ++i) put("v b{}, ", i);
  for (std::int32_t i = 0; i < n; ++i) put("v* x{}{}", i, i + 1 < n ? ", " : ") {\n");
  put("  v t, big;\n  i bad = WHOLE(0), p, m;\n");
  for (std::int32_t i = 0; i < n; ++i) {
    put("  big = size_of(a{}0);\n", i);
    for (std::int32_t j = 1; j < n; ++j) put("  big = most(big, size_of(a{}{}));\n", i, j);
    put("  bad |= ~((big > 1e-280) & (big < 1e280));\n  t = row_scales(big);\n");
    for (std::int32_t j = 0; j < n; ++j) put("  a{}{} *= t;\n", i, j);
    put("  b{} *= t;\n", i);
  }
  for (std::int32_t k = 0; k < n; ++k) {
    if (k + 1 < n) {
      put("  p = WHOLE({0});\n  big = size_of(a{0}{0});\n", k);
      for (std::int32_t i = k + 1; i < n; ++i)
        put("  m = size_of(a{0}{1}) > big;\n  big = pick(m, size_of(a{0}{1}), big);\n"
            "  p = (WHOLE({0}) & m) | (p & ~m);\n",
            i, k);
      for (std::int32_t i = k + 1; i < n; ++i) {
        put("  m = p == WHOLE({});\n  if (some(m)) {{\n", i);
        for (std::int32_t j = k; j < n; ++j)
          put("    t = pick(m, a{1}{2}, a{0}{2}); a{1}{2} = pick(m, a{0}{2}, a{1}{2}); a{0}{2} = t;\n", k, i, j);
        put("    t = pick(m, b{1}, b{0}); b{1} = pick(m, b{0}, b{1}); b{0} = t;\n  }}\n", k, i);
      }
    }
    put("  bad |= ~(size_of(a{0}{0}) > 1e-300);\n  a{0}{0} = 1.0 / a{0}{0};\n", k);
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
  put("  return bad;\n}}\n");
  return out;
}

// Rows are exchanged only where a lane wants it, and elimination skips what is zero in all lanes. In a lane where the factor is
// zero and in others not, the row stays as it is: 0 times a number would change the sign of a zero.
std::string lane_factor_text(std::int32_t n) {
  return fmt::format(
      R"(static __attribute__((noinline)) i lane_factor{0}(v* restrict a, v* restrict lu, i* restrict perm,
                                                  v* restrict scale, i which) {{
  i order[{0}], bad = WHOLE(0);
  v rows[{0}];
  for (int r = 0; r < {0}; ++r) {{
    v big = ALL(0.0), t;
    for (int c = 0; c < {0}; ++c) big = most(big, size_of(a[r * {0} + c]));
    bad |= ~((big > 1e-280) & (big < 1e280));
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
      p = (WHOLE(r) & m) | (p & ~m);
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
        o = (i)pick(m, (v)order[r], (v)order[k]);
        order[r] = (i)pick(m, (v)order[k], (v)order[r]);
        order[k] = o;
      }}
    bad |= ~(size_of(a[k * {0} + k]) > 1e-300);
    inverse = 1.0 / a[k * {0} + k];
    a[k * {0} + k] = inverse;
    for (int r = k + 1; r < {0}; ++r) {{
      const v f = a[r * {0} + k] * inverse;
      const i none = f == 0.0;
      a[r * {0} + k] = f;
      if (!some(~none)) continue;
      if (some(none))
        for (int c = k + 1; c < {0}; ++c) a[r * {0} + c] = pick(none, a[r * {0} + c], a[r * {0} + c] - f * a[k * {0} + c]);
      else
        for (int c = k + 1; c < {0}; ++c) a[r * {0} + c] -= f * a[k * {0} + c];
    }}
  }}
  for (int c = 0; c < {1}; ++c) lu[c] = pick(which, a[c], lu[c]);
  for (int r = 0; r < {0}; ++r) {{
    perm[r] = (i)pick(which, (v)order[r], (v)perm[r]);
    scale[r] = pick(which, rows[r], scale[r]);
  }}
  return bad;
}}
static __attribute__((noinline)) void lane_substitute{0}(const v* restrict lu, const i* restrict perm,
                                                         const v* restrict scale, const v* restrict b,
                                                         v* restrict x) {{
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
      n, n * n);
}

}  // namespace rattleback
