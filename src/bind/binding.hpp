// What all ways of binding share: refusals, what a step needs of its system, compositions.
#pragma once

#include "bind/bind.hpp"
#include "engine/plan_stepper.hpp"
#include "rattleback/error.hpp"

namespace rattleback {

// Throws Error when the method does not apply: see why_not().
void check_applies(const MethodEntry& method, const Model& model, Formulation formulation);
Error does_not_apply(const MethodInfo& info, const Model& model, const std::string& reason);

// Only prk-murua has one. Throws Error.
[[noreturn]] void no_recursion(const std::string& method);

// Is something looked for along the motion?
bool wants_events(const Model& model, const Options& options);
// Stages between the steps: for events, or records at other times.
bool wants_dense(const Model& model, const Options& options);

// Whatever the step will be, which is still missing.
PlanStepperData step_data(const System& system, const Options& options);

// BoundMethod::not_composed of methods whose steps end off the constraints.
inline constexpr const char* kOffAtEnds =
    "it imposes the constraints inside a step, and the ends of its steps are off them by the error of the method, "
    "which no composition takes away. Choose a method that keeps the constraints at the end of each step (`rattleback "
    "methods`)";

// Compositions of methods whose steps end off the constraints, by their error. With odd s this error changes its sign with
// each step (R(oo) = -1), and no composition takes it away. With even s it adds up like any other error where multipliers are
// linear; where they are not, compositions have order 4 (measured, tests/method/order_claims_test.cpp).
void limit_compositions(BoundMethod& out, const MethodInfo& info, OrderCase on);

// Makes the steps of `data` symmetric compositions of this order; 0: leaves them. Throws Error where that cannot be, or where
// the composition would not have the order.
void compose(BoundMethod& out, PlanStepperData& data, const Model& model, int order);

}  // namespace rattleback
