// Dormand and Prince's explicit method of order 8 on the underlying ODE, as equations of one step.
#pragma once

#include "formulation/mechanical.hpp"
#include "solve/equations.hpp"

namespace rattleback {

// Results: q1, v1, multipliers of the last stage (at the end of the step). Extra: the estimates of order 5 of (q, v), then
// those of order 3, both without the factor h.
Equations ode_dop853_step(const Mechanical& system);

}  // namespace rattleback
