// `check` of families that are too large for single coordinates.
#pragma once

#include "rattleback/simulate.hpp"
#include "system/system.hpp"

namespace rattleback {

// Everything that can be said from their patterns: rank, inertia, residuals of the start. system: null where it could not be
// made.
void check_families(const Model& model, const System* system, CheckReport& out);

}  // namespace rattleback
