// Symmetries of large systems and of families, which are not written out: judged by numbers alone, at a few states. What nobody
// named is looked for among translations and rotations of all points together.
#pragma once

#include "audit/find_symmetries.hpp"

namespace rattleback {

struct LargeSymmetries {
  std::vector<SymmetryVerdict> named;
  std::vector<FoundField> found;  // those that are kept come first
};

// system: null where it could not be made; then no states on the constraints are looked for but the start.
LargeSymmetries judge_large(const Model& model, const System* system);

}  // namespace rattleback
