// Vectors of formulas.
#pragma once

#include <cstdint>
#include <vector>

#include "rattleback/expr.hpp"

namespace rattleback {

using Vec = std::vector<NodeId>;

inline std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// Without the terms that vanish.
inline NodeId dot(Graph& g, const Vec& a, const Vec& b) {
  NodeId sum = g.zero();
  for (std::size_t i = 0; i < a.size(); ++i) sum = g.add(sum, g.mul(a[i], b[i]));
  return sum;
}

inline Vec variables(Graph& g, Space space, std::int32_t first, std::int32_t count) {
  Vec out;
  for (std::int32_t i = 0; i < count; ++i) out.push_back(g.variable(space, first + i));
  return out;
}

}  // namespace rattleback
