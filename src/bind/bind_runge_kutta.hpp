// Binding Runge-Kutta schemes.
#pragma once

#include "bind/bind.hpp"
#include "engine/plan_stepper.hpp"
#include "method/runge_kutta/scheme.hpp"

namespace rattleback {

// Fills in the step and what it needs. `out` has the claims of the method; the options are complete. Throws Error.
void bind_runge_kutta(const System& system, const Scheme& scheme, const Options& options, PlanStepperData& data,
                      BoundMethod& out);

}  // namespace rattleback
