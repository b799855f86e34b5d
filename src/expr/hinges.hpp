// Jacobians of functions that meet in a few shared values.
//
// Reverse sweeps, one for each function, repeat the work for a value in which many functions meet and which depends on
// many variables: the scalar of a discrete gradient, an energy, a length. Such a value is a hinge. Its own gradient is
// formed once, and enters each function as (d function / d hinge) * gradient.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "rattleback/expr.hpp"

namespace rattleback {

using GradientRow = std::map<std::int32_t, NodeId>;  // variable -> derivative

// Rows of the Jacobian with respect to the variables of a space, without families. Empty when there are no hinges.
std::vector<GradientRow> jacobian_by_hinges(Graph& g, std::span<const NodeId> functions, Space space);

}  // namespace rattleback
