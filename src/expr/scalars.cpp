#include "expr/scalars.hpp"

namespace rattleback {

std::vector<NodeId> scalars(Graph& graph, std::span<const Entry> entries, std::int32_t size) {
  std::vector<NodeId> out(static_cast<std::size_t>(size), graph.zero());
  for (const Entry& e : entries) {
    if (e.count != 0) throw NeedsUnrolling();
    NodeId& x = out[static_cast<std::size_t>(e.row.base)];
    x = graph.add(x, e.expr);
  }
  return out;
}

}  // namespace rattleback
