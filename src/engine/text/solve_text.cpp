#include "engine/text/solve_text.hpp"

#include "engine/text/text_out.hpp"
#include "linalg/dense.hpp"

namespace rattleback {
namespace {

// Of a row, and of a pivot, that are not singular. both: how a condition and another one are said.
std::string row_fits(const char* both) {
  return fmt::format("(big > {}){}(big < {})", literal(dense::kSmallestRow), both, literal(dense::kLargestRow));
}
std::string pivot_fits(const std::string& size) { return fmt::format("{} > {}", size, literal(dense::kSmallestPivot)); }

// The elimination of linalg/dense.hpp, of one matrix or of one in each lane. Small matrices are variables a00, a01, ... with a
// right-hand side b0, ..., which is eliminated along. Larger ones are eliminated in loops over an array, where the factors
// stay; there, what is zero in all lanes is skipped, and a lane whose factor is zero keeps its row where others do not: 0 times
// a number would change the sign of a zero.
class Elimination : private TextOut {
 public:
  Elimination(std::int32_t n, Words words, bool loops) : n_(n), words_(words), loops_(loops) {}
  std::string text();

 private:
  struct Index {  // of a row or column: a number, or in loops a variable
    std::string name;
    std::int32_t number = 0;
  };
  // The same for one matrix and for lanes.
  template <class... Args>
  void put_either(const char* one, const char* lanes, Args&&... args) {
    fmt::vformat_to(std::back_inserter(out_), words_.wide ? lanes : one, fmt::make_format_args(args...));
  }
  [[nodiscard]] Index at(std::int32_t number) const { return {std::to_string(number), number}; }
  [[nodiscard]] Index after(const Index& i) const { return loops_ ? Index{i.name + " + 1"} : at(i.number + 1); }
  // From here to the last one.
  template <class Body>
  void each(const char* name, const Index& first, const Body& body) {
    for (std::int32_t i = first.number; i < n_ && !loops_; ++i) body(at(i));
    if (!loops_) return;
    put("for (int {0} = {1}; {0} < {2}; ++{0}) {{\n", name, first.name, n_);
    body(Index{name});
    put("}}\n");
  }
  [[nodiscard]] std::string a(const Index& row, const Index& column) const {
    return loops_ ? fmt::format("a[{} * {} + {}]", row.name, n_, column.name) : "a" + row.name + column.name;
  }
  [[nodiscard]] std::string size(const Index& row, const Index& column) const { return words_.size_of(a(row, column)); }
  // A matrix for which this does not hold is singular.
  void need(const std::string& condition) { put_either("if (!({})) return 1;\n", "bad |= ~({});\n", condition); }
  void swap(const std::string& x, const std::string& y) {
    put_either("t = {0}; {0} = {1}; {1} = t;\n", "t = pick(m, {1}, {0}); {1} = pick(m, {0}, {1}); {0} = t;\n", x, y);
  }
  void scale(const Index& r);
  void exchange(const Index& k);
  void take_off(const Index& r, const Index& k);

  std::int32_t n_;
  Words words_;
  bool loops_;
};

void Elimination::scale(const Index& r) {
  put("big = {};\n", size(r, at(0)));
  each("c", at(1), [&](const Index& c) { put("big = {};\n", words_.larger("big", size(r, c))); });
  need(row_fits(words_.wide ? " & " : " && "));
  put_either("t = row_scale(big);\n", "t = row_scales(big);\n");
  each("c", at(0), [&](const Index& c) { put("{} *= t;\n", a(r, c)); });
  if (loops_)
    put("rows[{0}] = t;\norder[{0}] = WHOLE({0});\n", r.name);
  else
    put("b{} *= t;\n", r.name);
}

// Row k and that of its pivot.
void Elimination::exchange(const Index& k) {
  put_either("p = {};\n", "p = WHOLE({});\n", k.name);
  put("big = {};\n", size(k, k));
  each("r", after(k), [&](const Index& r) {
    const std::string here = size(r, k);
    put_either("if ({0} > big) {{ big = {0}; p = {1}; }}\n",
               "m = {0} > big;\nbig = pick(m, {0}, big);\np = pick_whole(m, WHOLE({1}), p);\n", here, r.name);
  });
  if (loops_) put("if (some(p != WHOLE({})))\n", k.name);
  each("r", after(k), [&](const Index& r) {
    put_either("if (p == {}) {{\n", "m = p == WHOLE({});\nif (some(m)) {{\n", r.name);
    each("c", loops_ ? at(0) : k, [&](const Index& c) { swap(a(k, c), a(r, c)); });
    if (loops_)
      put("o = pick_whole(m, order[{0}], order[{1}]);\norder[{0}] = pick_whole(m, order[{1}], order[{0}]);\n"
          "order[{1}] = o;\n",
          r.name, k.name);
    else
      swap("b" + k.name, "b" + r.name);
    put("}}\n");
  });
}

// Row k from row r.
void Elimination::take_off(const Index& r, const Index& k) {
  const auto columns = [&](const char* how) {
    each("c", after(k), [&](const Index& c) { put(fmt::runtime(how), a(r, c), a(k, c)); });
  };
  put("t = {} * {};\n", a(r, k), a(k, k));
  if (loops_) {
    put("{} = t;\nm = t == 0.0;\nif (!some(~m)) continue;\nif (some(m)) {{\n", a(r, k));
    columns("{0} = pick(m, {0}, {0} - t * {1});\n");
    put("continue;\n}}\n");
  }
  columns("{} -= t * {};\n");
  if (!loops_) put("b{} -= t * b{};\n", r.name, k.name);
}

std::string Elimination::text() {
  put("{} t, big;\n", words_.type());
  put_either("int p;\n", "i bad = WHOLE(0), p, m;\n");
  if (loops_) put("i order[{0}], o;\nv rows[{0}];\n", n_);
  each("r", at(0), [&](const Index& r) { scale(r); });
  each("k", at(0), [&](const Index& k) {
    if (loops_ || k.number + 1 < n_) exchange(k);
    need(pivot_fits(size(k, k)));
    put("{0} = 1.0 / {0};\n", a(k, k));
    each("r", after(k), [&](const Index& r) { take_off(r, k); });
  });
  return take();
}

}  // namespace

std::string unrolled_solve_text(std::int32_t n, Words words) {
  TextOut text;
  text.put("static inline __attribute__((always_inline)) {} solve{}(", words.truth(), n);
  for (std::int32_t i = 0; i < n; ++i)
    for (std::int32_t j = 0; j < n; ++j) text.put("{} a{}{}, ", words.type(), i, j);
  for (std::int32_t i = 0; i < n; ++i) text.put("{} b{}, ", words.type(), i);
  for (std::int32_t i = 0; i < n; ++i) text.put("{}* x{}{}", words.type(), i, i + 1 < n ? ", " : ") {\n");
  text.put("{}", Elimination(n, words, false).text());
  for (std::int32_t i = n - 1; i >= 0; --i) {
    for (std::int32_t j = i + 1; j < n; ++j) text.put("  b{} -= a{}{} * b{};\n", i, i, j, j);
    text.put("  b{0} *= a{0}{0};\n  *x{0} = b{0};\n", i);
  }
  text.put("  return {};\n}}\n", words.wide ? "bad" : "0");
  return text.take();
}

// The elimination once more, because the matrix lies otherwise: rows are padded to whole vectors. The factors L are kept
// apart, by columns, so that updates may begin at a whole vector: what they spoil to the left of the diagonal is not read
// again. Every number that is read comes from the operations of linalg/dense.hpp in their order. Columns are unrolled, so that
// the pivot's row stays in registers.
std::string factor_text(std::int32_t n) {
  const std::int32_t width = padded(n);
  TextOut text;
  text.put(R"(static __attribute__((noinline)) void swap{0}(double* __restrict lu, double* __restrict lower,
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
  for (std::int32_t j = 0; j < n; ++j)
    text.put("    big = __builtin_fabs(row[{0}]) > big ? __builtin_fabs(row[{0}]) : big;\n", j);
  text.put("    if (!({})) return 1;\n    t = scale[i] = row_scale(big);\n    perm[i] = i;\n", row_fits(" && "));
  for (std::int32_t j = 0; j < width; j += 4) text.put("    *(lanes*)(row + {}) *= t;\n", j);
  text.put("  }}\n");
  for (std::int32_t k = 0; k < n; ++k) {
    text.put("  p = {0};\n  pivot = __builtin_fabs(lu[{1}]);\n", k, k * width + k);
    if (k + 1 < n)
      text.put(
          "  for (i = {0}, row = lu + {1}; i < {2}; ++i, row += {3})\n"
          "    if (__builtin_fabs(*row) > pivot) {{ p = i; pivot = __builtin_fabs(*row); }}\n",
          k + 1, (k + 1) * width + k, n, width);
    text.put("  if (!({})) return 1;\n", pivot_fits("pivot"));
    if (k + 1 < n) text.put("  if (p != {0}) swap{1}(lu, lower, perm, {0}, p);\n", k, n);
    text.put("  inverse = 1.0 / lu[{0}];\n  lu[{0}] = inverse;\n", k * width + k);
    if (k + 1 == n) break;
    const std::int32_t first = (k + 1) / 4 * 4;
    text.put("  {{\n");
    for (std::int32_t j = first; j < width; j += 4)
      text.put("    const lanes u{0} = *(lanes*)(lu + {1});\n", j, k * width + j);
    text.put(
        "    for (i = {0}, row = lu + {1}; i < {2}; ++i, row += {3}) {{\n"
        "      const double f = row[{4}] * inverse;\n      lower[{5} + i] = f;\n      if (f == 0.0) continue;\n",
        k + 1, (k + 1) * width, n, width, k, k * width);
    for (std::int32_t j = first; j < width; j += 4) text.put("      *(lanes*)(row + {0}) -= f * u{0};\n", j);
    text.put("    }}\n  }}\n");
  }
  text.put("  return 0;\n}}\n");
  text.put(R"(static __attribute__((noinline)) void substitute{0}(
    const double* __restrict const lu, const double* __restrict const lower, const int* __restrict const perm,
    const double* __restrict const scale, const double* __restrict const b, double* __restrict const x) {{
  double s;
  for (int i = 0; i < {0}; ++i) x[i] = b[perm[i]] * scale[perm[i]];
)",
           n);
  for (std::int32_t j = 0; j + 1 < n; ++j) {
    text.put("  s = x[{}];\n", j);
    std::int32_t i = j + 1;
    for (; i < n && i % 4 != 0; ++i) text.put("  x[{}] -= lower[{}] * s;\n", i, j * width + i);
    for (; i < n; i += 4) text.put("  *(lanes*)(x + {}) -= *(const lanes*)(lower + {}) * s;\n", i, j * width + i);
  }
  for (std::int32_t i = n - 1; i >= 0; --i) {
    text.put("  s = x[{}];\n", i);
    for (std::int32_t j = i + 1; j < n; ++j) text.put("  s -= lu[{}] * x[{}];\n", i * width + j, j);
    text.put("  x[{}] = s * lu[{}];\n", i, i * width + i);
  }
  text.put("}}\n");
  return text.take();
}

std::string lane_factor_text(std::int32_t n) {
  return fmt::format(
      R"(static __attribute__((noinline)) i factor{0}(v* __restrict a, v* __restrict lu, i* __restrict perm,
                                                  v* __restrict scale, i which) {{
{2}  for (int c = 0; c < {1}; ++c) lu[c] = pick(which, a[c], lu[c]);
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
      n, n * n, Elimination(n, kFour, true).text());
}

}  // namespace rattleback
