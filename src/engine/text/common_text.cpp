#include "engine/text/common_text.hpp"

#include <fmt/format.h>

#include "engine/job.hpp"
#include "engine/text/said.hpp"
#include "step/starting_values.hpp"

namespace rattleback {

// Declared here and not in math.h: nothing but the compiler is needed.
const char* const kHeadText = R"(double sin(double), cos(double), tan(double), asin(double), acos(double), atan(double);
double sinh(double), cosh(double), tanh(double), exp(double), log(double);
double pow(double, double), atan2(double, double), hypot(double, double);
)";

const char* const kOneWordsText = R"(typedef double lanes __attribute__((vector_size(32), aligned(8), may_alias));
static inline double larger(double a, double b) { return a < b ? b : a; }
static inline double row_scale(double big) {
  union { double x; unsigned long long bits; } u;
  u.x = big;
  u.bits = (2046 - (u.bits >> 52)) << 52;
  return u.x;
}
static double look_up(const double* at, int n, double x, int slope) {
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

// v: four doubles; i: four masks or whole numbers. V and I: the same in memory, at any address.
// most() keeps its first argument when they are equal or not numbers, as larger() does.
const char* const kLaneWordsText = R"(typedef double v __attribute__((vector_size(32)));
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
static inline v lane_sqrt(v x) {
  return (v){__builtin_sqrt(x[0]), __builtin_sqrt(x[1]), __builtin_sqrt(x[2]), __builtin_sqrt(x[3])}; }
#endif
static inline __attribute__((always_inline)) i pick_whole(i m, i a, i b) { return (a & m) | (b & ~m); }
static inline __attribute__((always_inline)) v row_scales(v big) { return (v)((2046 - ((u)big >> 52)) << 52); }
#define LANES1(name) static __attribute__((noinline, unused)) v lane_##name(v x) { \
  v y; for (int l = 0; l < 4; ++l) y[l] = name(x[l]); return y; }
#define LANES2(name) static __attribute__((noinline, unused)) v lane_##name(v x, v y) { \
  v z; for (int l = 0; l < 4; ++l) z[l] = name(x[l], y[l]); return z; }
LANES1(sin) LANES1(cos) LANES1(tan) LANES1(asin) LANES1(acos) LANES1(atan) LANES1(sinh) LANES1(cosh) LANES1(tanh)
LANES1(exp) LANES1(log) LANES2(pow) LANES2(atan2) LANES2(hypot)
static v lane_look_up(const double* at, int n, v x, int slope) {
  v y;
  for (int l = 0; l < 4; ++l) y[l] = look_up(at, n, x[l], slope);
  return y;
}
)";

std::string starting_text(std::size_t width, std::size_t unknowns, Words words) {
  const auto age = [&](int k) {
    return Said(fmt::format(fmt::runtime(words.wide ? "V(x - {} * kWidth)" : "x[-{} * kWidth]"), k), words);
  };
  const auto error_of = [&](const char* prediction) {
    return words.size_of(fmt::format("{} - {}(x - kWidth)", age(0).text, prediction));
  };
  const int lanes = words.wide ? kLaneWidth : 1;
  return fmt::format(R"(enum {{ kWidth = {}, kLanes = {}, kCount = {}, kRows = {}, kFar = {} }};
static inline __attribute__((always_inline)) {} near_value(const double* x) {{ return {}; }}
static inline __attribute__((always_inline)) {} far_value(const double* x) {{ return {}; }}
static inline void make_room(double* rows, int* newest) {{
  if (*newest < kRows - 1) return;
  for (int k = 0; k < kFar * kWidth; ++k) rows[k] = rows[(kRows - kFar) * kWidth + k];
  *newest = kFar - 1;
}}
static __attribute__((cold, noinline)) {} far_is_better(const double* x) {{
  {} near_by = {}, far = near_by;
  for (int k = 0; k < kCount; ++k, x += kLanes) {{
    near_by += {};
    far += {};
  }}
  return far < near_by;
}}
)",
                     width * static_cast<std::size_t>(lanes), lanes, unknowns, starting::kRows, starting::kFar,
                     words.type(), starting::near_prediction(age).text, words.type(),
                     starting::far_prediction(age).text, words.truth(), words.type(), words.number(0.0),
                     error_of("near_value"), error_of("far_value")) +
         (words.wide ? "" : R"(static inline void predict(const double* __restrict x, int far, double* __restrict to) {
  if (far)
    for (int i = 0; i < kCount; ++i) to[i] = far_value(x + i);
  else
    for (int i = 0; i < kCount; ++i) to[i] = near_value(x + i);
}
static inline double* next_row(double* rows, int* newest) {
  make_room(rows, newest);
  ++*newest;
  return rows + *newest * kWidth;
}
)");
}

}  // namespace rattleback
