// Expressions that come after the model was read: events, sections. They may use the names that the model's own
// expressions use, and their faults are reported in the same words.
#pragma once

#include <string>

#include "rattleback/model.hpp"

namespace rattleback {

// The node of an expression of t, coordinates, velocities, parameters and definitions (dae: states instead of coordinates
// and velocities) in `graph`, which is the model's graph or a copy with more in it. `option` is what messages begin with
// ("--event x-1"), `role` what they call it ("the event"). with_reactions: multipliers and accelerations (kAcceleration) may
// stand in it, too. Throws Error.
NodeId read_expression(const Model& model, Graph& graph, const std::string& option, const std::string& role,
                       const std::string& text, bool with_reactions = false);

}  // namespace rattleback
