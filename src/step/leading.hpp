// A matrix for Newton's iteration that is cheaper than the exact one and nearly as good.
//
// The equations of a block with stage velocities x and multipliers y have the matrix [A C; D E]. For h -> 0 its large part
// A becomes block diagonal: a mass matrix for each stage. With A in that limit and C, D, E as they are, what has to be
// factored is only the small matrix S = E - D A^-1 C of the multipliers. The error of the matrix is O(h^2) for forces
// that depend on positions: an iteration contracts by that, where the saddle-point matrix of saddle.hpp contracts by O(h).
//
// All of it is written as formulas in the graph, so zeros, constants and what stages have in common cost nothing.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "step/equations.hpp"

namespace rattleback {

struct LeadingForm {
  std::vector<std::int32_t> kept;   // places of the multipliers in the block
  std::vector<NodeId> schur;        // S, row-major
  std::vector<NodeId> right;        // S y = right, of the residual values
  std::vector<NodeId> corrections;  // of all unknowns of the block
  std::vector<NodeId> parts;        // of D and A^-1 C, which belong to S
};

// J: the exact matrix, row-major; row i is the equation that belongs to unknown i. Variables of kResidualValue and
// kSchurSolution are numbered from `first` on. Nothing when the block is small or has not this form.
std::optional<LeadingForm> leading_form(Graph& g, std::span<const NodeId> J, std::span<const Equations::Scale> scales,
                                        std::int32_t first);

}  // namespace rattleback
