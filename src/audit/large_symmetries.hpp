// Named symmetries of large systems and of families, which are not written out: judged by numbers alone, at a few states.
#pragma once

#include "audit/symmetry_judge.hpp"

namespace rattleback {

// system: null where it could not be made; then no states on the constraints are looked for but the start.
std::vector<SymmetryVerdict> judge_large(const Model& model, const System* system);

}  // namespace rattleback
