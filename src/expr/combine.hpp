// Sums of formulas with numbers, or constants of the graph, as weights.
#pragma once

#include <span>

#include "rattleback/expr.hpp"

namespace rattleback {

// sum_j weight_j x_j, without the terms that vanish.
inline NodeId combine(Graph& g, std::span<const double> weight, std::span<const NodeId> x) {
  NodeId s = g.zero();
  for (std::size_t j = 0; j < x.size(); ++j)
    if (weight[j] != 0.0) s = g.add(s, g.mul(g.constant(weight[j]), x[j]));
  return s;
}

inline NodeId combine(Graph& g, std::span<const NodeId> weight, std::span<const NodeId> x) {
  NodeId s = g.zero();
  for (std::size_t j = 0; j < x.size(); ++j)
    if (!g.is_constant(weight[j], 0.0)) s = g.add(s, g.mul(weight[j], x[j]));
  return s;
}

}  // namespace rattleback
