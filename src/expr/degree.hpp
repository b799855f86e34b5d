// The degree of an expression as a polynomial in the variables of one space.
#pragma once

#include <optional>

#include "rattleback/expr.hpp"

namespace rattleback {

// Nothing when it is not a polynomial in them, or not recognised as one.
std::optional<int> polynomial_degree(const Graph& graph, NodeId expr, Space space);

}  // namespace rattleback
