// Inputs of ports whose values are given from outside while steps are taken. In the graph they are leaves of their own
// (Op::input), numbered after the parameters, and take their values from one list with them: Graph::set_parameters(),
// ParameterSlots, PlanStepper::set_parameters().
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rattleback/model.hpp"

namespace rattleback {

// Names of all ports (port-Hamiltonian: inputs) of a model, in its order.
std::vector<std::string> port_names(const Model& model);

// The values that a model has until others are given: of its parameters, then of the inputs from outside.
std::vector<double> given_values(const Model& model);

// Where in this list the input of a port stands; nothing where it is a formula. Throws Error, with a suggestion, when there is
// no such port.
std::optional<std::uint32_t> place_of_input(const Model& model, std::string_view port);

// The same model with the inputs of these ports given from outside, 0 at first, in place of their formulas. Throws Error as
// above.
Model with_given_inputs(const Model& model, std::span<const std::string> ports);

// Is it 0, or an input from outside that nobody has given yet?
bool is_idle(const Graph& graph, NodeId input);
// Does a mechanical model have no other forces than those of such ports?
bool has_idle_forces(const Model& model);

}  // namespace rattleback
