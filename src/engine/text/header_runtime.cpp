#include "engine/text/header_runtime.hpp"

#include <utility>

#include "engine/text/instruction_text.hpp"
#include "linalg/dense.hpp"
#include "step/convergence.hpp"
#include "step/newton_limits.hpp"

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

namespace {

// step/newton.cpp, step/convergence.hpp and linalg/dense.hpp, operation by operation and test by test. Their numbers are put
// in for @name@.
const char* const kSolve = R"(
  // --- steps that are not plain: the first ones, and those that fail
  struct Sizes {
    double typical[2], noise[2];
  };
  struct Leading {  // a matrix that is cheaper than the exact one and nearly as good
    void (*matrix)(double*);
    void (*right)(double*);
    void (*expand)(double*);
    int size, S, lu, pivots, rhs, y, guess;
  };
  struct Block {
    void (*before)(double*);
    void (*residual)(double*);
    void (*jacobian)(double*);
    const int* unknowns;          // places in the workspace
    const unsigned char* scales;  // 0: sizes as of the state, 1: of the state divided by the step
    int size, r, J, lu, pivots;
    bool linear;
    const Leading* leading;
  };
  static void run(void (*program)(double*), double* w) {
    if (program != nullptr) program(w);
  }
  // Of the matrix at w[J]; the factors go to w[at], the pivots to w[pivots].
  static bool factor(double* w, int n, int J, int at, int pivots) {
    double *const lu = w + at, *const perm = w + pivots, *const scale = perm + n;
    if (n == 1) return w[J] != 0.0 && std::isfinite(w[J]);
    for (int k = 0; k < n * n; ++k) lu[k] = w[J + k];
    for (int i = 0; i < n; ++i) {
      double big = 0.0;
      for (int j = 0; j < n; ++j) big = larger(big, fabs(lu[i * n + j]));
      if (!(big > @smallest_row@ && big < @largest_row@)) return false;
      scale[i] = row_scale(big);
      for (int j = 0; j < n; ++j) lu[i * n + j] *= scale[i];
      perm[i] = i;
    }
    for (int k = 0; k < n; ++k) {
      int p = k;
      for (int i = k + 1; i < n; ++i)
        if (fabs(lu[i * n + k]) > fabs(lu[p * n + k])) p = i;
      const double pivot = lu[p * n + k];
      if (!(fabs(pivot) > @smallest_pivot@)) return false;
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
  static void substitute(double* w, int n, int J, int at, int pivots, const double* r, double* x) {
    const double *const lu = w + at, *const perm = w + pivots, *const scale = perm + n;
    if (n == 1) {
      x[0] = r[0] / w[J];
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
      if (!(fabs(w[b.r + i]) <= @noise@ * terms)) return false;
    }
    return true;
  }
  struct Correction {
    double size, noise;  // relative to the unknowns, and to what rounding errors come from
    double big[2];       // sizes that the unknowns have now
  };
  struct Convergence {
    double tolerance;
    bool cautious;
    double last = 0.0, ratio = 0.0, older = 0.0, first[2] = {0.0, 0.0};
    int since = 0;

    bool ran_away(const Correction& c) const {
      return c.big[0] > @runaway@ * first[0] || c.big[1] > @runaway@ * first[1];
    }
    // One more correction, made with the matrix of the current point or with another one. True: that was the last.
    bool arrived(const Correction& c, bool current) {
      older = ratio;
      ratio = 0.0;
      for (int kind = 0; kind < 2; ++kind)
        if (first[kind] == 0.0) first[kind] = c.big[kind];
      if (c.size <= @eps@ || c.size <= tolerance) return true;
      if (++since >= 2) {
        ratio = c.size / last;
        const double squared = cautious ? ratio : ratio * ratio;
        const double next = current ? squared : ratio / (1.0 - ratio > 0.5 ? 1.0 - ratio : 0.5);
        const bool two_steps = c.size * c.size * ratio * older <= @small@ * @small@;
        if (ratio < 1.0 && c.size * next <= @small@ && (current || since < 3 || two_steps)) return true;
        if (ratio > @stagnant@ && c.size <= (current ? @rounding_level@ : @certainly_rounding@)) return true;
        if (ratio > @stagnant@ && c.noise <= @noise@) return true;
      }
      last = c.size;
      return false;
    }
    void restart() {
      since = 0;
      ratio = 0.0;
    }
  };
  // left: what the first correction leaves, in units of its square, is put there.
  [[gnu::cold, gnu::noinline]] static bool solve_block(const Block& b, double* w, const Sizes& sizes, double tolerance,
                                                       int most, bool cautious, double* left, Report& report) {
    run(b.before, w);
    if (b.linear && b.size == 1) {
      run(b.residual, w);
      w[b.unknowns[0]] -= w[b.r] / w[b.J];
      ++report.iterations;
      if (w[b.J] != 0.0) return true;
      report.reason = "the matrix of the equations is singular";
      return false;
    }
    const Leading* const l = b.leading;
    enum { exact, old, leading } matrix = l != nullptr ? leading : exact;
    const auto restore_guess = [&] {
      for (int i = 0; i < b.size; ++i) w[b.unknowns[i]] = w[l->guess + i];
    };
    if (l != nullptr)
      for (int i = 0; i < b.size; ++i) w[l->guess + i] = w[b.unknowns[i]];
    double* const delta = w + b.pivots + 2 * b.size;
    Convergence convergence = {tolerance, cautious};
    for (int k = 1; k <= most; ++k) {
      ++report.iterations;
      run(b.residual, w);
      if (matrix == leading && k == 1) {
        run(l->matrix, w);
        if (!factor(w, l->size, l->S, l->lu, l->pivots)) matrix = exact;
      }
      if (matrix == exact) {
        run(b.jacobian, w);
        if (!factor(w, b.size, b.J, b.lu, b.pivots)) {
          report.reason = all_finite(w + b.r, b.size) && all_finite(w + b.J, b.size * b.size)
                              ? "the matrix of the equations is singular"
                              : "the equations gave a value that is not finite";
          return false;
        }
      }
      if (matrix == leading) {
        run(l->right, w);
        substitute(w, l->size, l->S, l->lu, l->pivots, w + l->rhs, w + l->y);
        run(l->expand, w);
        if (!all_finite(delta, b.size)) {  // a mass that is 0 at this point
          matrix = exact;
          convergence.restart();
          restore_guess();
          continue;
        }
      } else {
        substitute(w, b.size, b.J, b.lu, b.pivots, w + b.r, delta);
      }
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
      Correction c = {0.0, 0.0, {0.0, 0.0}};
      for (int kind = 0; kind < 2; ++kind) {
        c.big[kind] = larger(big[kind], sizes.noise[kind]);
        if (change[kind] <= 0.0) continue;
        c.size = larger(c.size, change[kind] / big[kind]);
        c.noise = larger(c.noise, change[kind] / c.big[kind]);
      }
      report.correction = c.size;
      if (b.linear) return true;
      if (k == 1) report.first = larger(report.first, c.size);
      const bool current = matrix == exact;
      const double last = convergence.last;
      const bool arrived = convergence.arrived(c, current);
      const double ratio = convergence.ratio, older = convergence.older;
      if (left != nullptr && k == 2 && convergence.since >= 2 && c.size > @noise@) *left = ratio / last;
      // With the leading matrix: corrections shrank as they should, and then stopped at once, near rounding.
      const bool floor = matrix == leading && ratio > @saddle_contraction@ && older > 0.0 &&
                         older <= @leading_contraction@ && c.noise <= @leading_noise@;
      const bool away = convergence.ran_away(c);
      if (!arrived) {
        if (convergence.since >= 2) report.contraction = ratio;
        if (ratio > @stagnant@ && current && k > @patience@ && !away && residual_is_rounding(b, w, sizes)) return true;
      }
      if (arrived || floor) {
        if (!away) return true;
        report.reason = "@ran_away@";
        return false;
      }
      if (matrix == leading) {
        const bool poor = ratio > @saddle_contraction@, rounding = c.size <= @leading_rounding@;
        if (poor || (ratio > @leading_contraction@ && !rounding)) {
          if (poor && !rounding) restore_guess();
          matrix = exact;
          convergence.restart();
        }
      } else {
        matrix = b.size <= @full_newton@ || ratio > @refresh@ ? exact : old;
      }
    }
    report.reason = "Newton's iteration did not converge";
    return false;
  }
)";

}  // namespace

std::string header_solve() {
  using C = Convergence;
  const std::pair<std::string_view, std::string> numbers[] = {
      {"@eps@", literal(C::kEps)},
      {"@small@", literal(C::kSmall)},
      {"@noise@", literal(C::kNoise)},
      {"@stagnant@", literal(C::kStagnant)},
      {"@rounding_level@", literal(C::kRoundingLevel)},
      {"@certainly_rounding@", literal(C::kCertainlyRounding)},
      {"@runaway@", literal(C::kRunaway)},
      {"@ran_away@", kRanAway},
      {"@saddle_contraction@", literal(newton::kSaddleContraction)},
      {"@leading_contraction@", literal(newton::kLeadingContraction)},
      {"@leading_rounding@", literal(newton::kLeadingRounding)},
      {"@leading_noise@", literal(newton::kLeadingNoise)},
      {"@patience@", std::to_string(newton::kPatience)},
      {"@full_newton@", std::to_string(newton::kFullNewton)},
      {"@refresh@", literal(newton::kRefresh)},
      {"@smallest_row@", literal(dense::kSmallestRow)},
      {"@largest_row@", literal(dense::kLargestRow)},
      {"@smallest_pivot@", literal(dense::kSmallestPivot)},
  };
  std::string out = kSolve;
  for (const auto& [name, number] : numbers)
    for (std::size_t at = out.find(name); at != std::string::npos; at = out.find(name, at + number.size()))
      out.replace(at, name.size(), number);
  return out;
}

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
