// The rules of stopping.hpp, executed. Generated headers repeat this text.
#pragma once

#include "step/solving.hpp"

namespace rattleback {

inline constexpr const char* kRanAway = "Newton's iteration ran away from every reasonable size";

struct Correction {
  double size = 0.0;   // relative to the unknowns
  double noise = 0.0;  // relative to what rounding errors come from
  bool finite = true;
  double big[2] = {0.0, 0.0};  // sizes that the unknowns have now
};

// big: sizes of the unknowns, at least typical ones; change: of their corrections.
inline Correction measured(const double (&big)[2], const double (&change)[2], const Sizes& sizes) {
  Correction c;
  for (int k = 0; k < 2; ++k) {
    c.big[k] = newton::larger(big[k], sizes.noise[k]);
    if (change[k] <= 0.0) continue;
    c.size = newton::larger(c.size, change[k] / big[k]);
    c.noise = newton::larger(c.noise, change[k] / c.big[k]);
  }
  return c;
}

class Convergence {
 public:
  explicit Convergence(const SolveOptions& options) : tolerance_(options.tolerance), cautious_(options.cautious) {}

  [[nodiscard]] bool ran_away(const Correction& c) const {
    return newton::ran_away(c.big[0], first_[0]) || newton::ran_away(c.big[1], first_[1]);
  }

  // The k-th correction, made with the matrix of the current point or with another one. True: that was the last. Where
  // corrections do not shrink any more, residual_is_rounding() is asked.
  template <class Judge>
  bool arrived(const Correction& c, bool current, bool leading, int k, const Judge& residual_is_rounding) {
    for (int kind = 0; kind < 2; ++kind)
      if (first_[kind] == 0.0) first_[kind] = c.big[kind];
    p_.size = c.size;
    p_.noise = c.noise;
    const auto stuck = [&] { return !ran_away(c) && residual_is_rounding(); };
    return newton::arrived(Execute<decltype(stuck)>(stuck), p_, current, leading, k, tolerance_, cautious_);
  }
  [[nodiscard]] const newton::Progress<double, int>& progress() const { return p_; }
  [[nodiscard]] bool measured() const { return p_.since >= 2; }  // its ratio is one
  // Another kind of matrix from here on.
  void restart() {
    p_.since = 0;
    p_.ratio = 0.0;
  }

 private:
  template <class Stuck>
  struct Execute : newton::Assign {
    explicit Execute(const Stuck& stuck_now) : is_stuck(stuck_now) {}
    const Stuck& is_stuck;
    template <class Body>
    static bool when(bool condition, const Body& body) {
      return condition && body();
    }
    template <class Body>
    static bool where(bool condition, const Body& body) {
      return condition && body();
    }
    static bool arrive(bool condition) { return condition; }
    static void noise(newton::Progress<double, int>&) {}
    bool stuck(bool condition) const { return condition && is_stuck(); }
  };

  double tolerance_;
  bool cautious_;
  newton::Progress<double, int> p_{};
  double first_[2] = {0.0, 0.0};
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

}  // namespace rattleback
