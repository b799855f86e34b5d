// Integrating back to the start (Options::audit_reverse): what a symmetric method undoes to rounding.
#pragma once

#include "run/parts.hpp"

namespace rattleback {

// From the end of a run that is complete: back with the negative step, and how far from the start that ends.
void integrate_back(RunParts& run, Trajectory& out);

}  // namespace rattleback
