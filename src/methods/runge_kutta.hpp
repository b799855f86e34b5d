// The equations of one step of any Runge-Kutta scheme, as expressions.
#pragma once

#include "formulation/dae.hpp"
#include "formulation/mechanical.hpp"
#include "methods/scheme.hpp"
#include "solve/equations.hpp"

namespace rattleback {

// Results: q1, v1, then the carried multipliers if there are any, then the last stage's multipliers.
Equations runge_kutta_step(const Mechanical& system, const Scheme& scheme);
// Results: y1, then the same.
Equations runge_kutta_step(const Dae& system, const Scheme& scheme);

}  // namespace rattleback
