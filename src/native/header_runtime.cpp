#include "native/header_runtime.hpp"

namespace rattleback {

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

// solve/newton.cpp, solve/convergence.hpp and solve/dense.hpp, operation by operation.
const char* const kHeaderSolve = R"(
  // --- steps that are not plain: the first ones, and those that fail
  struct Sizes {
    double typical[2], noise[2];
  };
  struct Block {
    void (*before)(double*);
    void (*residual)(double*);
    void (*jacobian)(double*);
    const int* unknowns;          // places in the workspace
    const unsigned char* scales;  // 0: sizes as of the state, 1: of the state divided by the step
    int size, r, J, lu, pivots;
    bool linear;
  };
  static void run(void (*program)(double*), double* w) {
    if (program != nullptr) program(w);
  }
  static bool factor(const Block& b, double* w) {
    const int n = b.size;
    double *const lu = w + b.lu, *const perm = w + b.pivots, *const scale = perm + n;
    if (n == 1) return w[b.J] != 0.0 && std::isfinite(w[b.J]);
    for (int k = 0; k < n * n; ++k) lu[k] = w[b.J + k];
    for (int i = 0; i < n; ++i) {
      double big = 0.0;
      for (int j = 0; j < n; ++j) big = larger(big, fabs(lu[i * n + j]));
      if (!(big > 1e-280 && big < 1e280)) return false;
      scale[i] = row_scale(big);
      for (int j = 0; j < n; ++j) lu[i * n + j] *= scale[i];
      perm[i] = i;
    }
    for (int k = 0; k < n; ++k) {
      int p = k;
      for (int i = k + 1; i < n; ++i)
        if (fabs(lu[i * n + k]) > fabs(lu[p * n + k])) p = i;
      const double pivot = lu[p * n + k];
      if (!(fabs(pivot) > 1e-300)) return false;
      if (p != k) {
        for (int j = 0; j < n; ++j) std::swap(lu[p * n + j], lu[k * n + j]);
        std::swap(perm[p], perm[k]);
      }
      const double inverse = 1.0 / pivot;
      lu[k * n + k] = inverse;
      for (int i = k + 1; i < n; ++i) {
        const double f = lu[i * n + k] * inverse;
        lu[i * n + k] = f;
        if (f == 0.0) continue;
        for (int j = k + 1; j < n; ++j) lu[i * n + j] -= f * lu[k * n + j];
      }
    }
    return true;
  }
  static void substitute(const Block& b, double* w) {
    const int n = b.size;
    const double *const lu = w + b.lu, *const perm = w + b.pivots, *const scale = perm + n, *const r = w + b.r;
    double* const x = w + b.pivots + 2 * n;
    if (n == 1) {
      x[0] = r[0] / w[b.J];
      return;
    }
    for (int i = 0; i < n; ++i) {
      const int p = static_cast<int>(perm[i]);
      double s = r[p] * scale[p];
      for (int j = 0; j < i; ++j) s -= lu[i * n + j] * x[j];
      x[i] = s;
    }
    for (int i = n - 1; i >= 0; --i) {
      double s = x[i];
      for (int j = i + 1; j < n; ++j) s -= lu[i * n + j] * x[j];
      x[i] = s * lu[i * n + i];
    }
  }
  static bool all_finite(const double* x, int count) {
    bool all = true;
    for (int i = 0; i < count; ++i) all = all && std::isfinite(x[i]);
    return all;
  }
  // All residuals are as small as the rounding errors of their terms: no iteration can do better.
  static bool residual_is_rounding(const Block& b, const double* w, const Sizes& sizes) {
    for (int i = 0; i < b.size; ++i) {
      double terms = sizes.noise[0];
      for (int j = 0; j < b.size; ++j) terms += fabs(w[b.J + i * b.size + j] * w[b.unknowns[j]]);
      if (!(fabs(w[b.r + i]) <= 0x1p-46 * terms)) return false;
    }
    return true;
  }
  [[gnu::cold, gnu::noinline]] static bool solve_block(const Block& b, double* w, const Sizes& sizes, double tolerance,
                                                       int most, bool cautious, double* left, Report& report) {
    constexpr double eps = std::numeric_limits<double>::epsilon();
    run(b.before, w);
    if (b.linear && b.size == 1) {
      run(b.residual, w);
      w[b.unknowns[0]] -= w[b.r] / w[b.J];
      ++report.iterations;
      if (w[b.J] != 0.0) return true;
      report.reason = "the matrix of the equations is singular";
      return false;
    }
    const double* const delta = w + b.pivots + 2 * b.size;
    bool current = true;
    double last = 0.0, first[2] = {0.0, 0.0};
    for (int k = 1, since = 0; k <= most; ++k) {
      ++report.iterations;
      run(b.residual, w);
      if (current) {
        run(b.jacobian, w);
        if (!factor(b, w)) {
          report.reason = all_finite(w + b.r, b.size) && all_finite(w + b.J, b.size * b.size)
                              ? "the matrix of the equations is singular"
                              : "the equations gave a value that is not finite";
          return false;
        }
      }
      substitute(b, w);
      double big[2] = {sizes.typical[0], sizes.typical[1]}, change[2] = {0.0, 0.0};
      report.residual = 0.0;
      for (int i = 0; i < b.size; ++i) {
        double& x = w[b.unknowns[i]];
        const int kind = b.scales[i];
        x -= delta[i];
        big[kind] = larger(big[kind], fabs(x));
        change[kind] = larger(change[kind], fabs(delta[i]));
        report.residual = larger(report.residual, fabs(w[b.r + i]));
        if (!(fabs(delta[i]) <= LARGEST)) {
          report.reason = "the equations gave a value that is not finite";
          return false;
        }
      }
      double size = 0.0, noise = 0.0;
      for (int kind = 0; kind < 2; ++kind) {
        if (change[kind] > 0.0) {
          size = larger(size, change[kind] / big[kind]);
          noise = larger(noise, change[kind] / larger(big[kind], sizes.noise[kind]));
        }
        big[kind] = larger(big[kind], sizes.noise[kind]);
        if (first[kind] == 0.0) first[kind] = big[kind];
      }
      report.correction = size;
      if (b.linear) return true;
      const bool ran_away = big[0] > 1e5 * first[0] || big[1] > 1e5 * first[1];
      double ratio = 0.0;
      bool arrived = size <= eps || size <= tolerance;
      if (!arrived && ++since >= 2) {
        ratio = size / last;
        report.contraction = ratio;
        if (left != nullptr && k == 2 && size > 64 * eps) *left = ratio / last;  // what the first correction left, in units of its square
        const double squared = cautious ? ratio : ratio * ratio;
        const double next = current ? squared : ratio / (1.0 - ratio > 0.5 ? 1.0 - ratio : 0.5);
        arrived = (ratio < 1.0 && size * next <= 0.25 * eps) || (ratio > 0.3 && size <= (current ? 1e-9 : 1e-14)) ||
                  (ratio > 0.3 && noise <= 64 * eps);
      }
      if (arrived) {
        if (!ran_away) return true;
        report.reason = "Newton's iteration ran away from every reasonable size";
        return false;
      }
      last = size;
      if (ratio > 0.3 && current && k > 6 && !ran_away && residual_is_rounding(b, w, sizes)) return true;
      current = b.size <= 3 || ratio > 0.05;
    }
    report.reason = "Newton's iteration did not converge";
    return false;
  }
)";

const char* const kHeaderTurns = R"(
  // Angles are kept within one turn of zero, and whole turns are counted: sin and cos keep all their digits.
  static constexpr double kTurnHigh = 6.283185307179586, kTurnLow = 2.4492935982947064e-16;  // their sum is 2 pi
  static double turned(double x, double turns) {
    if (turns == 0.0) return x;
    const double high = std::fma(turns, kTurnHigh, 0.0);  // rounded, and not contracted with what follows
    return high + (x + (std::fma(turns, kTurnHigh, -high) + turns * kTurnLow));
  }
  static bool wrap(double& angle, double& turns) {
    const double size = fabs(angle);
    if (!(size > kTurnHigh) || size > 1e15) return false;
    const double whole = std::nearbyint(angle / kTurnHigh), high = std::fma(whole, kTurnHigh, 0.0);
    angle = (angle - high) - (std::fma(whole, kTurnHigh, -high) + whole * kTurnLow);
    turns += whole;
    return true;
  }
)";

}  // namespace rattleback
