#include "engine/text/solve_text.hpp"

#include <optional>

#include "engine/text/text_out.hpp"
#include "linalg/dense.hpp"

namespace rattleback {
namespace {

// Of a row, and of a pivot, that are not singular. both: how a condition and another one are said.
std::string row_fits(const char* both) {
  return fmt::format("(big > {}){}(big < {})", literal(dense::kSmallestRow), both, literal(dense::kLargestRow));
}
std::string pivot_fits(const std::string& size) { return fmt::format("{} > {}", size, literal(dense::kSmallestPivot)); }

// How the matrix lies. Small ones are variables a00, a01, ... with a right-hand side b0, ..., which is eliminated along. Larger
// ones are arrays, and their factors stay: those of many runs have a matrix in each lane, and that of one run has rows of whole
// vectors.
enum class Layout : std::uint8_t { variables, lanes, rows };

// The elimination of linalg/dense.hpp, of one matrix or of one in each lane. In lanes, what is zero in all of them is skipped,
// and a lane whose factor is zero keeps its row where others do not: 0 times a number would change the sign of a zero. In rows,
// pivots are numbers, so that the pivot's row stays in registers, and the factors L are kept apart, by columns, so that updates may
// begin at a whole vector: what they spoil to the left of the diagonal is not read again.
class Elimination : private TextOut {
 public:
  Elimination(std::int32_t n, Words words, Layout layout)
      : n_(n), width_(layout == Layout::rows ? padded(n) : n), words_(words), layout_(layout) {}
  std::string text();

 private:
  struct Index {  // of a row or column: a number, or the variable of a loop
    std::string name;
    std::optional<std::int32_t> number = std::nullopt;
  };
  // The same for one matrix and for lanes.
  template <class... Args>
  void put_either(const char* one, const char* lanes, Args&&... args) {
    fmt::vformat_to(std::back_inserter(out_), words_.wide ? lanes : one, fmt::make_format_args(args...));
  }
  [[nodiscard]] static Index at(std::int32_t number) { return {std::to_string(number), number}; }
  [[nodiscard]] static Index after(const Index& i) { return i.number ? at(*i.number + 1) : Index{i.name + " + 1"}; }
  // From here to the last one. Rows and columns are loops in lanes, and rows in rows.
  template <class Body>
  void each(const char* name, const Index& first, const Body& body) {
    if (layout_ == Layout::lanes || (layout_ == Layout::rows && *name == 'r')) {
      put("for (int {0} = {1}; {0} < {2}; ++{0}) {{\n", name, first.name, n_);
      body(Index{name});
      put("}}\n");
      return;
    }
    for (std::int32_t i = first.number.value(); i < n_; ++i) body(at(i));
  }
  // What can be changed at once of the columns from here on, of two rows.
  template <class Body>
  void each_piece(const Index& first, const Index& r, const Index& k, const Body& body) {
    if (layout_ != Layout::rows) return each("c", first, [&](const Index& c) { body(a(r, c), a(k, c)); });
    for (std::int32_t j = first.number.value() / 4 * 4; j < width_; j += 4)
      body(fmt::format("*(lanes*)(a + {} * {} + {})", r.name, width_, j), fmt::format("u{}", j));
  }
  [[nodiscard]] std::string a(const Index& row, const Index& column) const {
    return layout_ == Layout::variables ? "a" + row.name + column.name
                                        : fmt::format("a[{} * {} + {}]", row.name, width_, column.name);
  }
  [[nodiscard]] std::string size(const Index& row, const Index& column) const { return words_.size_of(a(row, column)); }
  // A matrix for which this does not hold is singular.
  void need(const std::string& condition) { put_either("if (!({})) return 1;\n", "bad |= ~({});\n", condition); }
  void swap(const std::string& x, const std::string& y) {
    put_either("t = {0}; {0} = {1}; {1} = t;\n", "t = pick(m, {1}, {0}); {1} = pick(m, {0}, {1}); {0} = t;\n", x, y);
  }
  void scale(const Index& r);
  void find_pivot(const Index& k);
  void exchange(const Index& k);
  void take_off(const Index& r, const Index& k);

  std::int32_t n_, width_;
  Words words_;
  Layout layout_;
};

void Elimination::scale(const Index& r) {
  put("big = {};\n", size(r, at(0)));
  each("c", at(1), [&](const Index& c) { put("big = {};\n", words_.larger("big", size(r, c))); });
  need(row_fits(words_.wide ? " & " : " && "));
  put_either("t = row_scale(big);\n", "t = row_scales(big);\n");
  each_piece(at(0), r, r, [&](const std::string& x, const std::string&) { put("{} *= t;\n", x); });
  switch (layout_) {
    case Layout::variables: put("b{} *= t;\n", r.name); break;
    case Layout::lanes: put("rows[{0}] = t;\norder[{0}] = WHOLE({0});\n", r.name); break;
    case Layout::rows: put("scale[{0}] = t;\nperm[{0}] = {0};\n", r.name); break;
  }
}

void Elimination::find_pivot(const Index& k) {
  put_either("p = {};\n", "p = WHOLE({});\n", k.name);
  put("big = {};\n", size(k, k));
  each("r", after(k), [&](const Index& r) {
    const std::string here = size(r, k);
    put_either("if ({0} > big) {{ big = {0}; p = {1}; }}\n",
               "m = {0} > big;\nbig = pick(m, {0}, big);\np = pick_whole(m, WHOLE({1}), p);\n", here, r.name);
  });
}

// Row k and that of its pivot.
void Elimination::exchange(const Index& k) {
  if (layout_ == Layout::rows) return put("if (p != {0}) swap{1}(a, lower, perm, {0}, p);\n", k.name, n_);
  const bool loops = layout_ == Layout::lanes;
  if (loops) put("if (some(p != WHOLE({})))\n", k.name);
  each("r", after(k), [&](const Index& r) {
    put_either("if (p == {}) {{\n", "m = p == WHOLE({});\nif (some(m)) {{\n", r.name);
    each("c", loops ? at(0) : k, [&](const Index& c) { swap(a(k, c), a(r, c)); });
    if (loops)
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
    each_piece(after(k), r, k, [&](const std::string& x, const std::string& y) { put(fmt::runtime(how), x, y); });
  };
  put("t = {} * {};\n", a(r, k), layout_ == Layout::rows ? "inverse" : a(k, k));
  if (layout_ == Layout::rows) put("lower[{} + {}] = t;\nif (t == 0.0) continue;\n", *k.number * width_, r.name);
  if (layout_ == Layout::lanes) {
    put("{} = t;\nm = t == 0.0;\nif (!some(~m)) continue;\nif (some(m)) {{\n", a(r, k));
    columns("{0} = pick(m, {0}, {0} - t * {1});\n");
    put("continue;\n}}\n");
  }
  columns("{} -= t * {};\n");
  if (layout_ == Layout::variables) put("b{} -= t * b{};\n", r.name, k.name);
}

std::string Elimination::text() {
  put("{} t, big;\n", words_.type());
  put_either("int p;\n", "i bad = WHOLE(0), p, m;\n");
  if (layout_ == Layout::lanes) put("i order[{0}], o;\nv rows[{0}];\n", n_);
  each("r", at(0), [&](const Index& r) { scale(r); });
  each("k", at(0), [&](const Index& k) {
    const bool last = k.number == n_ - 1;
    if (!last) find_pivot(k);
    if (!last) exchange(k);
    need(pivot_fits(size(k, k)));
    if (layout_ == Layout::rows) {
      put("{{\nconst double inverse = 1.0 / {0};\n{0} = inverse;\n", a(k, k));
      for (std::int32_t j = last ? width_ : (*k.number + 1) / 4 * 4; j < width_; j += 4)
        put("const lanes u{0} = *(lanes*)(a + {1});\n", j, *k.number * width_ + j);
    } else {
      put("{0} = 1.0 / {0};\n", a(k, k));
    }
    if (!last) each("r", after(k), [&](const Index& r) { take_off(r, k); });
    if (layout_ == Layout::rows) put("}}\n");
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
  text.put("{}", Elimination(n, words, Layout::variables).text());
  for (std::int32_t i = n - 1; i >= 0; --i) {
    for (std::int32_t j = i + 1; j < n; ++j) text.put("  b{} -= a{}{} * b{};\n", i, i, j, j);
    text.put("  b{0} *= a{0}{0};\n  *x{0} = b{0};\n", i);
  }
  text.put("  return {};\n}}\n", words.wide ? "bad" : "0");
  return text.take();
}

std::string factor_text(std::int32_t n) {
  const std::int32_t width = padded(n);
  TextOut text;
  text.put(R"(static __attribute__((noinline)) void swap{0}(double* __restrict a, double* __restrict lower,
                                              int* __restrict perm, int k, int p) {{
  const int q = perm[p];
  perm[p] = perm[k];
  perm[k] = q;
  for (int j = 0; j < {1}; j += 4) {{
    const lanes t = *(lanes*)(a + p * {1} + j);
    *(lanes*)(a + p * {1} + j) = *(lanes*)(a + k * {1} + j);
    *(lanes*)(a + k * {1} + j) = t;
  }}
  for (int c = 0; c < k; ++c) {{
    const double t = lower[c * {1} + p];
    lower[c * {1} + p] = lower[c * {1} + k];
    lower[c * {1} + k] = t;
  }}
}}
static __attribute__((noinline)) int factor{0}(double* __restrict const a, double* __restrict const lower,
                                               int* __restrict const perm, double* __restrict const scale) {{
{2}  return 0;
}}
static __attribute__((noinline)) void substitute{0}(
    const double* __restrict const lu, const double* __restrict const lower, const int* __restrict const perm,
    const double* __restrict const scale, const double* __restrict const b, double* __restrict const x) {{
  double s;
  for (int i = 0; i < {0}; ++i) x[i] = b[perm[i]] * scale[perm[i]];
)",
           n, width, Elimination(n, kOne, Layout::rows).text());
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
      n, n * n, Elimination(n, kFour, Layout::lanes).text());
}

}  // namespace rattleback
