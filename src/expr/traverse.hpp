// Walking the graph below some roots. Children are always created before their parents, so node numbers are a
// topological order: ascending visits arguments first, descending visits users first.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "rattleback/expr.hpp"

namespace rattleback {

template <class F>
void for_each_argument(const Node& n, F&& f) {
  const int k = arity(n.op);
  if (k > 0) f(n.a);
  if (k > 1) f(n.b);
  if (k > 2) f(n.c);
}

// The condition of a select as a number that is 0 or 1.
inline NodeId truth(Graph& g, NodeId condition) {
  const Op op = g[condition].op;
  return op == Op::less || op == Op::less_equal ? condition : g.select(condition, g.one(), g.zero());
}

// Reusable marks and one value per node, cleared in O(1) by a new epoch.
template <class T>
class NodeMap {
 public:
  void clear(std::size_t graph_size) {
    if (stamp_.size() < graph_size) {
      stamp_.resize(graph_size, 0);
      value_.resize(graph_size);
    }
    ++epoch_;
  }
  [[nodiscard]] bool has(NodeId id) const { return id < stamp_.size() && stamp_[id] == epoch_; }
  T& operator[](NodeId id) { return value_[id]; }
  void set(NodeId id, T value) {
    stamp_[id] = epoch_;
    value_[id] = value;
  }

 private:
  std::vector<std::uint32_t> stamp_;
  std::vector<T> value_;
  std::uint32_t epoch_ = 0;
};

// All nodes below the roots (roots included), ascending. Found in descending order with one bit for each node: a node is
// looked at when all its users have been.
inline std::vector<NodeId> reachable(const Graph& graph, std::span<const NodeId> roots) {
  static thread_local std::vector<std::uint64_t> marks;  // all 0 between two calls
  if (marks.size() * 64 < graph.size()) marks.resize(graph.size() / 64 + 1, 0);
  std::size_t open = 0;
  const auto mark = [&](NodeId id) {
    std::uint64_t& word = marks[id / 64];
    const std::uint64_t bit = std::uint64_t{1} << (id % 64);
    open += (word & bit) == 0 ? 1 : 0;
    word |= bit;
  };
  for (const NodeId root : roots) mark(root);
  std::vector<NodeId> found;
  if (roots.empty()) return found;
  for (std::size_t w = *std::max_element(roots.begin(), roots.end()) / 64; open > 0; --w)
    while (marks[w] != 0) {
      const auto high = static_cast<unsigned>(63 - std::countl_zero(marks[w]));
      marks[w] ^= std::uint64_t{1} << high;
      --open;
      const auto id = static_cast<NodeId>(w * 64 + high);
      found.push_back(id);
      for_each_argument(graph[id], mark);
    }
  std::reverse(found.begin(), found.end());
  return found;
}

// The node with new arguments: image(k) is what argument k became. Leaves stay as they are.
template <class F>
NodeId rebuild(Graph& graph, NodeId id, F&& image) {
  const Node n = graph[id];
  switch (arity(n.op)) {
    case 0: return id;
    case 1:
      if (n.op >= Op::lookup) return graph.lookup(n.c, image(n.a), n.op == Op::lookup_slope);
      return n.op == Op::sum ? graph.sum(image(n.a), static_cast<std::int32_t>(n.b)) : graph.unary(n.op, image(n.a));
    case 2: return graph.binary(n.op, image(n.a), image(n.b));
    default: return graph.select(image(n.a), image(n.b), image(n.c));
  }
}

}  // namespace rattleback
