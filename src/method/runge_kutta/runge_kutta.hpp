// The equations of one step of any Runge-Kutta scheme, as expressions.
#pragma once

#include "method/runge_kutta/scheme.hpp"
#include "rattleback/policies.hpp"
#include "step/equations.hpp"
#include "system/first_order/dae.hpp"
#include "system/mechanical/mechanical.hpp"

namespace rattleback {

// How a scheme is applied to a mechanical system.
struct StepForm {
  Formulation formulation = Formulation::index2;  // never none
  bool recursion = false;                         // carry a multiplier along by scheme.recursion
  bool power = false;    // also Equations::power: the energy change, and the work of forces and reactions
  Entries damping = {};  // with power: D of the part -D v of the forces, which dissipates
  // Vector fields on positions. Equations::power has a part for each behind the energies (zeros without `power`): the change of its
  // momentum, the impulse along it, and zeros.
  std::vector<Entries> momenta = {};
};

// Results: q1, v1, then the carried multipliers if there are any, then the last stage's multipliers.
Equations runge_kutta_step(const Mechanical& system, const Scheme& scheme, const StepForm& form = {});
// Results: y1, then the same.
Equations runge_kutta_step(const Dae& system, const Scheme& scheme);

}  // namespace rattleback
