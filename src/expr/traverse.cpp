#include "expr/traverse.hpp"

#include <algorithm>
#include <bit>

#include "expr/per_thread.hpp"

namespace rattleback {

namespace {
struct Marks {
  std::vector<std::uint64_t> bits;  // of nodes; all 0 between two calls
};
}  // namespace

// Found in descending order with one bit for each node: a node is
// looked at when all its users have been.
std::vector<NodeId> reachable(const Graph& graph, std::span<const NodeId> roots) {
  std::vector<std::uint64_t>& marks = per_thread<Marks>().bits;
  if (marks.size() * 64 < graph.size()) marks.resize(graph.size() / 64 + 1, 0);
  std::size_t open = 0;
  const auto mark = [&](NodeId id) {
    std::uint64_t& word = marks[id / 64];
    const std::uint64_t bit = std::uint64_t{1} << (id % 64);
    open += (word & bit) == 0 ? 1 : 0;
    word |= bit;
  };
  std::vector<NodeId> found;
  if (roots.empty()) return found;
  for (const NodeId root : roots) mark(root);
  try {
    for (std::size_t w = *std::max_element(roots.begin(), roots.end()) / 64; open > 0; --w)
      while (marks[w] != 0) {
        const auto high = static_cast<unsigned>(63 - std::countl_zero(marks[w]));
        marks[w] ^= std::uint64_t{1} << high;
        --open;
        const auto id = static_cast<NodeId>(w * 64 + high);
        found.push_back(id);
        for_each_argument(graph[id], mark);
      }
  } catch (...) {  // memory
    std::fill(marks.begin(), marks.end(), 0);
    throw;
  }
  std::reverse(found.begin(), found.end());
  return found;
}

}  // namespace rattleback
