// Explicit Runge-Kutta methods on the underlying ODE, as equations of one step; Dormand and Prince's of order 8 is the one
// that has a name.
#pragma once

#include "step/equations.hpp"
#include "system/mechanical/mechanical.hpp"
#include "tableau/dormand_prince.hpp"

namespace rattleback {

// Results: q1, v1, multipliers of the last stage (at the end of the step). Extra: the estimates of order 5 of (q, v), then
// those of order 3, both without the factor h. `dense`: then the velocities of the 16 stages of the dense output and their
// accelerations.
Equations ode_dop853_step(const Mechanical& system, bool dense);
Equations projected_dop853_step(const Mechanical& system, bool dense);  // the end is put back onto the constraints
Equations explicit_ode_step(const Mechanical& system, const EmbeddedTableau& tableau, bool project = false,
                            const DenseExtension* extension = nullptr);

}  // namespace rattleback
