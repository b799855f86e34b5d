// The symplectic Euler methods for overdetermined systems, as equations of one step.
#pragma once

#include "step/equations.hpp"
#include "system/first_order/odae.hpp"

namespace rattleback {

struct EulerScheme {
  bool natural = false;    // Psi_1 of its own at the end, instead of the correction that makes the method consistent
  bool conjugate = false;  // v and f at the end of the step instead of its beginning
  bool adjoint = false;    // the inverse of the method with step -h
  double alpha = 0.5;
};

// Results: y1, z1, then multipliers that are near the consistent ones at the end.
Equations overdetermined_euler_step(const Overdetermined& system, const EulerScheme& scheme);

// Without constraints: y' = v, z' = f by Gauss with three stages, of order 6 and exact for a parabola. Results: y1, z1.
Equations overdetermined_flight_step(const Overdetermined& system);

}  // namespace rattleback
