// Why the energy of a mechanical system is not expected to be kept.
#pragma once

#include <string>

#include "rattleback/model.hpp"

namespace rattleback {

// A clause for the audit, such as "Forces do work on this system"; empty when the exact motion keeps its energy.
//
// dE/dt = v.F - lambda.(K v) - L_t. The reactions do no work when k is homogeneous in v, since K v = 0 then follows from
// k = 0; a holonomic constraint that depends on t, and a velocity constraint with a part that is free of v, do work.
std::string why_energy_changes(const Model& model);

}  // namespace rattleback
