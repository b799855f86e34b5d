// The equations of one step of any Runge-Kutta scheme for a system with families: the same equations as in
// runge_kutta.hpp, in vectors of unknowns instead of single ones.
#pragma once

#include "method/runge_kutta/runge_kutta.hpp"
#include "step/family_equations.hpp"
#include "system/families/family_mechanical.hpp"

namespace rattleback {

// Results: q1, v1, then the carried multipliers if there are any, then the last stage's multipliers.
FamilyEquations runge_kutta_step(const FamilyMechanical& system, const Scheme& scheme, const StepForm& form = {});

}  // namespace rattleback
