// From a bound method to a C++20 header: the steps of one method on one system as a struct that needs nothing of the
// library, with everything that PlanStepper does around compiled steps (../step_loop.hpp).
#pragma once

#include <string>
#include <vector>

#include "engine/plan_stepper.hpp"

namespace rattleback {

struct HeaderNames {
  std::string name;         // of the struct: an identifier, or several with :: between them
  std::string description;  // plain text, for the first comment
  std::vector<std::string> positions, velocities;
  double step = 0.0;
  std::vector<std::pair<std::string, double>> parameters = {}, inputs = {};  // inputs: numbered behind the parameters
};

// Why there is no header for steps of this kind; "" when there is.
std::string why_not_header(const StepTaker& stepper);

// watched: a plan without unknowns for what can be looked at, with inputs t, q, v: the energy (if has_energy), then
// `positions` residuals of constraints on positions and those on velocities.
struct WatchedPlan {
  Plan plan;
  bool has_energy = false;
  std::int32_t positions = 0;
};

// For a stepper without such a reason, at its start.
std::string header_text(const PlanStepper& stepper, const WatchedPlan& watched, const HeaderNames& names);

}  // namespace rattleback
