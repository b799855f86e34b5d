// Symmetries of a Lagrangian that nobody named: affine vector fields on positions, q' = A q + b.
//
// The condition L_q (A q + b) + L_v A v = 0 is linear in A and b. At as many random states as there are unknowns and some more
// it is a matrix, and its null space are the fields. Those that constraints and forces let keep their momentum are a subspace,
// found in the same way at states on the constraints. A basis of few and simple numbers is read off, and each field is judged
// like one that was named (symmetry_judge.hpp).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "audit/symmetry_judge.hpp"

namespace rattleback {

struct FoundField {
  std::vector<std::pair<std::string, std::string>> field;  // coordinate, expression; those that are not 0
  bool conserved = false;
};

// Up to this many coordinates all affine fields are looked at; beyond, candidates: cyclic coordinates, translations and
// rotations of points whose coordinates are called x, y, z.
inline constexpr std::int32_t kMostForAffine = 24;

// Fields with independent momenta: those that are kept come first. Nothing that follows from the named ones.
std::vector<FoundField> find_symmetries(SymmetryJudge& judge, const Model& model,
                                        const std::vector<std::vector<NodeId>>& named);

}  // namespace rattleback
