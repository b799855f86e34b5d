// Binding a method to a system.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "engine/step_taker.hpp"
#include "method/registry.hpp"
#include "method/runge_kutta/stage_order.hpp"
#include "rattleback/simulate.hpp"
#include "system/start/start.hpp"
#include "system/system.hpp"

namespace rattleback {

struct BoundMethod {
  std::unique_ptr<StepTaker> stepper;
  std::string name;
  Formulation formulation = Formulation::none;
  int stages = 0;
  ComponentOrders orders;  // on this system
  [[nodiscard]] int order() const { return orders.state(); }
  bool symmetric = false;          // on this system
  std::string not_composed;        // why a composition would not have its order here; "" when it would
  int composed_to = 2;             // the order up to which it would all the same
  std::string composed_with_even;  // ends the message about it: what other stages would do
  bool two_step = false, adaptive = false;
  bool embedded = false;               // its step has error estimates of its own (StepTaker::stage_values)
  bool constraint_oscillates = false;  // an error in the constraint changes its sign in every step, however short
  bool contacts = false;               // unilateral constraints: the regime changes inside steps
  StageLayout stage;                   // of the stage values, when the options ask for dense output
  std::optional<std::size_t> extension = {};  // where in the stage values those of dop853's dense output begin
  bool records_by_extension = false;
  bool tells_momenta = false;                // its power sums have System::watched_momenta() as their last parts
  std::optional<TableauAudit> tableau = {};  // what holds of coefficients of the user's
  std::vector<std::string> notes;            // claims that do not hold on this system
  // PlanStepperData::multiplier_scale at another start, for these parameters; empty: that of StartFunctions.
  std::function<double(const Start&, std::span<const double>)> multiplier_scale = {};
};

// Options must be complete (method, stages). Throws Error.
BoundMethod bind(const System& system, const Options& options, const Start& start);

}  // namespace rattleback
