// Derivatives with respect to some variables of a space; the others count as constants. Where few of many variables are
// wanted, nothing is derived below formulas that contain none of them.
#pragma once

#include <functional>

#include "rattleback/expr.hpp"

namespace rattleback {

Entries partial_gradient(Graph& graph, NodeId expr, Space space, const std::function<bool(std::int32_t)>& wanted);

}  // namespace rattleback
