// When Newton's iteration has arrived, judged by its corrections relative to the size of the unknowns.
//
// With tolerance 0 it goes on until the next correction would be below rounding, or until corrections at rounding level
// stop shrinking.
#pragma once

#include <limits>

#include "step/equations.hpp"
#include "step/newton_limits.hpp"

namespace rattleback {

inline constexpr const char* kRanAway = "Newton's iteration ran away from every reasonable size";

struct Correction {
  double size = 0.0;   // relative to the unknowns
  double noise = 0.0;  // relative to what rounding errors come from
  bool finite = true;
  double big[2] = {0.0, 0.0};  // sizes that the unknowns have now
};

class Convergence {
 public:
  static constexpr double kEps = std::numeric_limits<double>::epsilon();
  static constexpr double kRoundingLevel = 1e-9;  // a stagnating correction below this is rounding, above it a failure
  static constexpr double kCertainlyRounding = 1e-14;
  static constexpr double kNoise = 64 * kEps;
  static constexpr double kSmall = 0.25 * kEps;
  static constexpr double kStagnant = 0.3;  // a ratio above: corrections do not shrink
  static constexpr double kRunaway = 1e5;   // times the first size of a solution: not one

  explicit Convergence(const SolveOptions& options) : options_(options) {}

  // An iteration that runs to infinity has small corrections too, relative to where it is. A solution that is so much larger
  // than what was known of it after the first correction is not one.
  [[nodiscard]] bool ran_away(const Correction& c) const {
    return c.big[0] > kRunaway * first_[0] || c.big[1] > kRunaway * first_[1];
  }

  // One more correction, made with the matrix of the current point or with another one. True: that was the last.
  bool arrived(const Correction& c, bool current) {
    older_ = ratio_;
    ratio_ = 0.0;
    for (int k = 0; k < 2; ++k)
      if (first_[k] == 0.0) first_[k] = c.big[k];
    if (c.size <= kEps || c.size <= options_.tolerance) return true;
    if (++since_ >= 2) {
      ratio_ = c.size / last_;
      // Newton with the current matrix squares the ratio, with another one it keeps it.
      const double squared = options_.cautious ? ratio_ : ratio_ * ratio_;
      const double next = current ? squared : ratio_ / (1.0 - ratio_ > 0.5 ? 1.0 - ratio_ : 0.5);
      if (ratio_ < 1.0 && c.size * next <= kSmall && (current || since_ < 3 || two_steps(c.size))) return true;
      // Stagnation at rounding level. With another matrix a slow ratio may also mean a poor matrix: look again with the
      // current one.
      if (ratio_ > kStagnant && c.size <= (current ? kRoundingLevel : kCertainlyRounding)) return true;
      if (ratio_ > kStagnant && c.noise <= kNoise) return true;
    }
    last_ = c.size;
    return false;
  }
  // Of the last two corrections with the same kind of matrix; 0 when there were not two.
  [[nodiscard]] double ratio() const { return ratio_; }
  [[nodiscard]] bool measured() const { return since_ >= 2; }
  // The one before it; 0 when there was none with the same kind of matrix.
  [[nodiscard]] double older() const { return older_; }
  // Another kind of matrix from here on.
  void restart() {
    since_ = 0;
    ratio_ = 0.0;
  }

 private:
  // With a matrix that stays the same, parts of the error may take turns: one ratio is small by chance, and the mean of two is
  // not.
  [[nodiscard]] bool two_steps(double size) const { return size * size * ratio_ * older_ <= kSmall * kSmall; }

  SolveOptions options_;
  double last_ = 0.0, ratio_ = 0.0, older_ = 0.0;
  double first_[2] = {0.0, 0.0};
  int since_ = 0;
};

// The same for linear equations, which are solved once, or corrected while that helps (SolveOptions::refine).
class LinearRefinement {
 public:
  explicit LinearRefinement(const SolveOptions& options) : wanted_(options.refine) {}
  // The k-th correction had this size; the first one is the solution itself. True: that was the last.
  bool operator()(int k, double size) {
    if (!wanted_ || k == kMost || size == 0.0 || (k > 2 && !(size < 0.5 * before_))) return true;
    before_ = size;
    return false;
  }

 private:
  static constexpr int kMost = 5;  // two do where the matrix is well conditioned
  bool wanted_;
  double before_ = 0.0;
};

namespace newton {

// With the leading matrix: corrections shrank as they should, and then stopped at once, near rounding.
inline bool at_the_floor(const Convergence& convergence, const Correction& c) {
  const double older = convergence.older();
  return convergence.ratio() > kSaddleContraction && older > 0.0 && older <= kLeadingContraction &&
         c.noise <= kLeadingNoise;
}

}  // namespace newton
}  // namespace rattleback
