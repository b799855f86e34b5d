// How many steps per unit of time a mechanical system wants at a state: the square of a frequency of its motion,
//
//   Q(q, v)^2 = |a|^2 / (|v|^2 + v_ref^2) + w_ref^2,      |x|^2 = x^T L_vv x,  a = v' from the acceleration level,
//
// and its exact logarithmic derivative along the motion, G = d/dt ln Q, for the reversible step control of
// [HairerSoederlind2005]. Q is smooth, and even under v -> -v when the system is reversible; G is then odd. The reference
// values keep Q finite where the velocity vanishes and positive where the acceleration does.
//
// G needs the jerk. The acceleration level, differentiated once more along the motion, is linear in the jerk and the
// derivative of the multipliers, with the same matrix: it is a second block of the same equations.
#pragma once

#include "step/equations.hpp"
#include "system/mechanical/mechanical.hpp"

namespace rattleback {

class StepDensity {
 public:
  explicit StepDensity(const Mechanical& system);

  // At a state; the multipliers of the last call are the starting guess. false: the equations have no solution there.
  bool solve(double t, std::span<const double> q, std::span<const double> v);
  void set_guess(std::span<const double> multipliers);

  // |a|^2, |v|^2 and their derivatives along the motion.
  [[nodiscard]] double a2() const { return result(0); }
  [[nodiscard]] double v2() const { return result(1); }
  [[nodiscard]] double a2_rate() const { return result(2); }
  [[nodiscard]] double v2_rate() const { return result(3); }

  double v2_ref = 0.0, w2_ref = 0.0;
  [[nodiscard]] double Q() const;
  [[nodiscard]] double G() const;

 private:
  [[nodiscard]] double result(std::ptrdiff_t i) const { return w_.data()[plan_.result_slot() + i]; }

  std::size_t m_;
  Plan plan_;
  std::vector<double> w_;
};

}  // namespace rattleback
