// Any model as an ordinary differential equation in long double, with its constraints differentiated: what its state,
// multipliers, energy and residuals are compared with. The derivatives are those of LongGraph, the motion is found by
// extrapolation; nothing is shared with the methods of the program.
#pragma once

#include <memory>
#include <optional>

#include "support/long_mechanics.hpp"

namespace rattleback::testing {

class LongSystem {
 public:
  virtual ~LongSystem() = default;

  // The differential state as one vector, from a state as the program records it: (q, v); dae: y; odae: (y, z);
  // skew-gradient: x; port-Hamiltonian: the states whose column of E is not zero.
  [[nodiscard]] virtual Reals differential(const Reals& q, const Reals& v) const;

  // What the program records of the algebraic variables; port-Hamiltonian: states among the others.
  [[nodiscard]] virtual Reals recorded_algebraic(const Reals& q, const Reals& multipliers) const;

  struct Rates {
    Reals derivative;
    Reals algebraic;         // multipliers, z, psi, algebraic states: from the differentiated constraints
    Real least_pivot = 1;    // about 1/condition
    bool determined = true;  // false: redundant, or Newton did not converge
  };
  [[nodiscard]] virtual Rates rates(Real t, const Reals& x) = 0;

  struct Values {
    std::optional<Real> energy, position, velocity;
    Real energy_size = 0;  // largest of |energy| and the parts that were added up
  };
  [[nodiscard]] virtual Values values(Real t, const Reals& q, const Reals& v) = 0;
};

std::unique_ptr<LongSystem> long_system(const Model& model);

// The state at the end of each of `steps` steps of this size from the start; extrapolated midpoint rule of order 12.
std::vector<Reals> long_motion(LongSystem& system, const Reals& start, Real step, int steps);

}  // namespace rattleback::testing
