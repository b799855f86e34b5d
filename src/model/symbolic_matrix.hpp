// Small matrices of formulas of t and the positions: what of them vanishes, and inverses that are written out.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "rattleback/expr.hpp"

namespace rattleback::front {

using NodeMatrix = std::vector<std::vector<NodeId>>;

// Which of these vanish, whatever t and the n positions are? Decided by their values, with bounds of rounding errors, at points
// between -1 and 1. The parameters in what vanishes are settled: with other values it may not.
std::vector<char> vanishing(Graph& graph, const std::vector<NodeId>& nodes, std::int32_t n);
// The parameters below these have their values for good.
void settle_all(Graph& graph, const std::vector<NodeId>& nodes);
// Makes those 0.
void tidy(Graph& graph, NodeMatrix& a, std::int32_t n);

// Groups of 0 .. count-1 that pairs connect, each ascending, by their first member.
std::vector<std::vector<std::size_t>> connected(std::size_t count,
                                                const std::vector<std::pair<std::size_t, std::size_t>>& pairs);

// Rows that hang together beyond this are not inverted.
inline constexpr std::size_t kLargestBlock = 4;
// By cofactors: no pivot depends on a value. Nothing where the determinant vanishes everywhere.
std::optional<NodeMatrix> inverse_of(Graph& graph, const NodeMatrix& a, std::int32_t n);

}  // namespace rattleback::front
