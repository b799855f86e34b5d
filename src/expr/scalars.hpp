// Vector functions without families, entry by entry.
#pragma once

#include <span>
#include <vector>

#include "rattleback/expr.hpp"

namespace rattleback {

// The scalar nodes of a vector function whose entries are not in loops (else NeedsUnrolling), zero where there is no entry.
std::vector<NodeId> scalars(Graph& graph, std::span<const Entry> entries, std::int32_t size);

}  // namespace rattleback
