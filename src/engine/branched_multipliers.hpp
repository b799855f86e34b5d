// Starting values for the multipliers of the overdetermined Euler methods.
//
// Psi_0 and Psi_1 are not near the consistent psi, not even for h -> 0: there they satisfy
//
//   alpha G(Psi_0) = -k_z f - g_yy(v, v)/2,                 G(psi) := k_z r(y, z, psi),  k = g_y v
//   (1 - alpha) G(Psi_1) = -g_yy(v, v)/2 - g_y v_y v        (natural; the conjugate methods exchange the right-hand sides)
//
// and with r nonlinear in psi these equations have several solutions. With momenta, p_z^-1 f stands for f and p_z^-1 r for r, and
// p_z^-1 (p_t + p_y v) is taken away in the half that has no f. The solution that belongs to the motion is connected with psi
// itself: it is found by moving the right-hand side from G(psi) to its value step by step, as long as the determinant of
// G_psi keeps its sign.                                                [JaySimeon, eq. 3.3 and the end of section 3.2]
#pragma once

#include <vector>

#include "method/euler/overdetermined_euler.hpp"

namespace rattleback {

class BranchedMultipliers {
 public:
  BranchedMultipliers(const Overdetermined& system, const EulerScheme& scheme);

  // From consistent psi at (t, y, z). False: the branch ends before; values() then holds psi itself.
  bool solve(double t, std::span<const double> y, std::span<const double> z, std::span<const double> psi);
  [[nodiscard]] std::span<const double> values() const { return values_; }  // limits of Psi_0, then of Psi_1
  // From here on for other values of the parameters; false, and nothing is changed, where something would have been decided
  // otherwise.
  bool set_parameters(std::span<const double> values);
  void reset();  // as newly made, for the parameters of now

 private:
  struct Branch {
    explicit Branch(Equations equations) : plan(std::move(equations)), w(plan.image()) {}
    Plan plan;
    std::vector<double> w;
    std::vector<double> numbers = {};  // what the parameters give, when they were set
    ParameterSlots::Room room = {};
  };
  bool follow(Branch& branch, std::span<const double> psi, double* result);
  bool at(Branch& branch, double fraction);
  double sign_of_determinant(const Branch& branch);

  std::size_t m_, unknowns_, size_;  // multipliers; unknowns of a branch; rows of its matrix
  std::vector<Branch> branches_;
  std::vector<double> values_, current_, matrix_;
};

}  // namespace rattleback
