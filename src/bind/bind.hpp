// Binding a method to a system.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/stepper.hpp"
#include "method/registry.hpp"
#include "method/runge_kutta/stage_order.hpp"
#include "rattleback/simulate.hpp"
#include "system/start/start.hpp"
#include "system/system.hpp"

namespace rattleback {

// Why a method cannot take this model, with what to do instead; "" when it can. formulation: as asked for, "" = default.
std::string why_not(const MethodEntry& method, const Model& model, const std::string& formulation);

// Forces that are nonlinear in the multipliers act.
bool nonlinear_reactions(const Model& model);

// What decides the orders of a method on this system, with its constraints taken as `formulation` says ("": velocity level).
OrderCase order_case(const System& system, std::string_view formulation);

// The mass matrix is constant and singular: some direction has no inertia at all.
bool massless(const System& system);

// Can the method of these options take the model with its families as they are? If not, they must be unrolled.
bool takes_families(const Model& model, const Options& options);

// The model with its families as they are where the method can take them, and unrolled otherwise. Throws Error.
Model load_to_run(const std::string& system, LoadOptions load, const Options& options);

// The command that lists what applies: with the name of a shipped system; a file's path is not known here.
std::string check_command(const Model& model);

struct BoundMethod {
  std::unique_ptr<Stepper> stepper;
  std::string name, formulation;
  int stages = 0;
  ComponentOrders orders;  // on this system
  [[nodiscard]] int order() const { return orders.state(); }
  bool symmetric = false;          // on this system
  std::string not_composed;        // why a composition would not have its order here; "" when it would
  int composed_to = 2;             // the order up to which it would all the same
  std::string composed_with_even;  // ends the message about it: what other stages would do
  bool two_step = false, adaptive = false;
  bool embedded = false;               // its step has error estimates of its own (Stepper::stage_values)
  bool constraint_oscillates = false;  // an error in the constraint changes its sign in every step, however short
  bool contacts = false;               // unilateral constraints: the regime changes inside steps
  StageLayout stage;                   // of the stage values, when the options ask for dense output
  std::optional<std::size_t> extension = {};  // where in the stage values those of dop853's dense output begin
  bool records_by_extension = false;
  std::vector<std::string> notes;  // claims that do not hold on this system
};

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
struct PlanStepperData;
void compose(BoundMethod& out, PlanStepperData& data, const Model& model, int order);

// Options must be complete (method, stages). Throws Error.
BoundMethod bind(const System& system, const Options& options, const Start& start);

}  // namespace rattleback
