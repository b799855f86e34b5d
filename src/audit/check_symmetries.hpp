// The symmetries of a mechanical system, for `check`: those that its author named, and those that are found.
#pragma once

#include "rattleback/simulate.hpp"
#include "system/system.hpp"

namespace rattleback {

// Of systems with a Lagrangian; others have none. system: null where it could not be made.
void check_symmetries(const Model& model, const System* system, CheckReport& out);

}  // namespace rattleback
