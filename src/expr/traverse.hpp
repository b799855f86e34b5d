// Walking the graph below some roots. Children are always created before their parents, so node numbers are a
// topological order: ascending visits arguments first, descending visits users first.
#pragma once

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
      value_.resize(graph_size);  // first: where memory ends, stamps must not say that there are values
      stamp_.resize(graph_size, 0);
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

// All nodes below the roots (roots included), ascending.
std::vector<NodeId> reachable(const Graph& graph, std::span<const NodeId> roots);

// The node with new arguments: image(k) is what argument k became. Leaves stay as they are.
template <class F>
NodeId rebuild(Graph& graph, NodeId id, F&& image) {
  const Node n = graph[id];
  switch (arity(n.op)) {
    case 0: return id;
    case 1:
      if (is_lookup(n.op)) return graph.lookup(n.c, image(n.a), n.op == Op::lookup_slope);
      return n.op == Op::sum ? graph.sum(image(n.a), static_cast<std::int32_t>(n.b)) : graph.unary(n.op, image(n.a));
    case 2: return graph.binary(n.op, image(n.a), image(n.b));
    default: return graph.select(image(n.a), image(n.b), image(n.c));
  }
}

}  // namespace rattleback
