// Model functions at a point of a step, as Point, but with entries: expressions put in for whole affine leaves.
#pragma once

#include <functional>
#include <unordered_map>

#include "expr/traverse.hpp"
#include "rattleback/expr.hpp"

namespace rattleback {

class FamilyPoint {
 public:
  using Leaf = std::function<NodeId(const Node&)>;

  // A function that is empty leaves its space as it is.
  FamilyPoint(Graph& graph, NodeId t, Leaf q, Leaf v, Leaf multipliers = {})
      : graph_(&graph), t_(t), q_(std::move(q)), v_(std::move(v)), multipliers_(std::move(multipliers)) {}

  // What was put in at this point is remembered, so that functions share their common parts.
  NodeId operator()(NodeId f) {
    for (const NodeId id : reachable(*graph_, std::span(&f, 1))) {
      if (image_.contains(id)) continue;
      const Node n = (*graph_)[id];
      image_.emplace(id,
                     n.op == Op::variable ? leaf(id, n) : rebuild(*graph_, id, [&](NodeId k) { return image_.at(k); }));
    }
    return image_.at(f);
  }
  Entries operator()(const Entries& f) {
    Entries out = f;
    for (Entry& e : out) e.expr = (*this)(e.expr);
    return out;
  }

 private:
  NodeId leaf(NodeId id, const Node& n) const {
    switch (n.space) {
      case kTime: return t_;
      case kPosition: return q_ ? q_(n) : id;
      case kVelocity: return v_ ? v_(n) : id;
      case kMultiplier: return multipliers_ ? multipliers_(n) : id;
      default: return id;
    }
  }

  Graph* graph_;
  NodeId t_;
  Leaf q_, v_, multipliers_;
  std::unordered_map<NodeId, NodeId> image_;
};

}  // namespace rattleback
