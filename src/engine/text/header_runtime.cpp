#include "engine/text/header_runtime.hpp"

#include <string_view>

namespace rattleback {

// Of the files of the same names (cmake/step_texts.cmake).
namespace step_texts {
std::string dense();
std::string stopping();
std::string solving();
std::string convergence();
std::string block_newton();
std::string angles();
}  // namespace step_texts

std::string header_newton(const std::string& scope) {
  std::string out = "namespace " + scope + " {\n";
  for (const std::string& text : {step_texts::dense(), step_texts::stopping(), step_texts::solving(),
                                  step_texts::convergence(), step_texts::block_newton(), step_texts::angles()}) {
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n') + 1);
      if (!line.starts_with('#') || line.starts_with("#pragma GCC")) out += line;
      rest.remove_prefix(line.size());
    }
  }
  return out + "}  // namespace " + scope + "\n\n";
}

const char* const kHeaderMath = R"(  static double sin(double x) { return std::sin(x); }
  static double cos(double x) { return std::cos(x); }
  static double tan(double x) { return std::tan(x); }
  static double asin(double x) { return std::asin(x); }
  static double acos(double x) { return std::acos(x); }
  static double atan(double x) { return std::atan(x); }
  static double sinh(double x) { return std::sinh(x); }
  static double cosh(double x) { return std::cosh(x); }
  static double tanh(double x) { return std::tanh(x); }
  static double exp(double x) { return std::exp(x); }
  static double log(double x) { return std::log(x); }
  static double sqrt(double x) { return std::sqrt(x); }
  static double fabs(double x) { return std::fabs(x); }
  static double pow(double x, double y) { return std::pow(x, y); }
  static double atan2(double y, double x) { return std::atan2(y, x); }
  static double hypot(double x, double y) { return std::hypot(x, y); }
  static constexpr double LARGEST = std::numeric_limits<double>::max();
  static double larger(double a, double b) { return a < b ? b : a; }
  static double row_scale(double big) {  // a power of two, so that scaling is exact
    return std::bit_cast<double>((2046 - (std::bit_cast<std::uint64_t>(big) >> 52)) << 52);
  }
)";

std::string header_solve(const std::string& scope) {
  std::string out = R"(
  // --- steps that are not plain: the first ones, and those that fail
  using Sizes = @Sizes;
  struct Formulas {
    void (*of)(double*);
    void run(double* w) const {
      if (of != nullptr) of(w);
    }
  };
  struct Leading {  // a matrix that is cheaper than the exact one and nearly as good
    Formulas matrix, right, expand;
    int size, S, lu, pivots, rhs, y, guess;
  };
  struct Block {
    Formulas before, residual, jacobian;
    const int* unknowns;          // places in the workspace
    const unsigned char* scales;  // 0: sizes as of the state, 1: of the state divided by the step
    int size, r, J, lu, pivots;
    bool linear;
    const Leading* leading;
  };
  struct Lu {
    static bool factor(double* lu, double* perm, double* scale, int n) { return @dense::factor(lu, perm, scale, n); }
    static void solve(const double* lu, const double* perm, const double* scale, const double* b, double* x, int n) {
      @dense::solve(lu, perm, scale, b, x, n);
    }
  };
  // left: what the first correction leaves, in units of its square, is put there.
  [[gnu::cold, gnu::noinline]] static bool solve_block(const Block& b, double* w, const Sizes& sizes, double tolerance,
                                                       int most, bool cautious, double* left, Report& report) {
    const auto see = [&](int k, double last, const @newton::Progress<double, int>& p) {
      if (left != nullptr && k == 2 && p.since >= 2 && p.size > @newton::kNoise) *left = p.ratio / last;
    };
    return @newton::solve_block<Lu>(
        b, w, sizes, {.tolerance = tolerance, .max_iterations = most, .cautious = cautious}, report, see);
  }
  static bool all_finite(const double* x, int count) { return @newton::all_finite(x, count); }
  static double largest(const double* x, int count) {
    double size = 0.0;
    for (int i = 0; i < count; ++i) size = larger(size, fabs(x[i]));
    return size;
  }
)";
  const std::string name = scope + "::rattleback::";
  for (std::size_t at = out.find('@'); at != std::string::npos; at = out.find('@', at)) out.replace(at, 1, name);
  return out;
}

}  // namespace rattleback
