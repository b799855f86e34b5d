// The symplectic Euler methods for overdetermined systems, as equations of one step.
#pragma once

#include "rattleback/policies.hpp"
#include "step/equations.hpp"
#include "system/first_order/odae.hpp"

namespace rattleback {

struct EulerScheme {
  bool natural = false;    // Psi_1 of its own at the end, instead of the correction that makes the method consistent
  bool conjugate = false;  // v and f at the end of the step instead of its beginning, and f in its second half
  // The other two Euler methods in the place of the symplectic one: f at (y0, z0), or v and f at (y1, Z) with f in the first half.
  enum class Mix { none, explicit_euler, implicit_euler } mix = Mix::none;
  bool adjoint = false;  // the inverse of the method with step -h
  double alpha = 0.5;
  Reaction reaction = Reaction::printed;  // z in all terms r
  // The multipliers to report: none; the consistent ones, alpha Psi_0 + (1 - alpha) Psi_1 (natural) or Psi_1 (true); Psi_1.
  enum class Own { none, sum, last } own = Own::none;

  [[nodiscard]] bool late() const { return conjugate || mix == Mix::implicit_euler; }  // v at the end
};

// Results: y1, z1, the multipliers to report, then multipliers that are near the consistent ones at the end.
Equations overdetermined_euler_step(const Overdetermined& system, const EulerScheme& scheme);

// Without constraints: y' = v, z' = f by Gauss with three stages, of order 6 and exact for a parabola. Results: y1, z1.
Equations overdetermined_flight_step(const Overdetermined& system);

}  // namespace rattleback
