// Binding the symplectic Euler methods to overdetermined systems, and to mechanical ones with holonomic constraints.
#pragma once

#include <string>

#include "bind/bind.hpp"
#include "engine/plan_stepper.hpp"

namespace rattleback {

// Why an Euler method cannot take a mechanical model; "" when it can.
std::string why_not_overdetermined(const Model& mechanical);

// Of a method whose way is an EulerScheme. Throws Error.
BoundMethod bind_overdetermined(const MethodEntry& entry, const System& system, const Options& options,
                                const Start& start);

// What a Runge-Kutta method promises where forces are nonlinear in the multipliers; "" where none is.
std::string multiplier_force_note(const System& system, const std::string& method, Formulation formulation);

// How the steps of a method are put together; the same for every set of constraints that act.
struct EulerPlan {
  EulerScheme scheme;
  int compose = 0;
  SolveOptions solve;
  double multiplier_scale = 1.0;
  std::vector<std::int32_t> angles = {};  // positions that are wrapped
};
// level: the acceleration level of this system.
std::unique_ptr<PlanStepper> euler_stepper(const Overdetermined& system, const EulerPlan& plan,
                                           std::unique_ptr<Acceleration> level);

}  // namespace rattleback
