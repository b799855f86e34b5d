// Binding the energy-preserving methods.
#pragma once

#include "bind/bind.hpp"
#include "engine/plan_stepper.hpp"

namespace rattleback {

// Why an energy-preserving method cannot take a mechanical model; "" when it can.
std::string why_not_energy(const Model& model);

// Fills in the step and what it needs. The options are complete. Throws Error.
void bind_energy(const System& system, const EnergyMethod& method, const Options& options, const Start& start,
                 PlanStepperData& data, BoundMethod& out);

}  // namespace rattleback
