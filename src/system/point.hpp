// A model function at a point of a step: f(t, q, v, lambda) with expressions put in for the variables.
#pragma once

#include <unordered_map>
#include <vector>

#include "expr/traverse.hpp"
#include "rattleback/expr.hpp"

namespace rattleback {

class Point {
 public:
  // An empty vector leaves that space as it is.
  Point(Graph& graph, NodeId t, std::vector<NodeId> q, std::vector<NodeId> v, std::vector<NodeId> multipliers = {})
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
  std::vector<NodeId> operator()(const std::vector<NodeId>& f) {
    std::vector<NodeId> out;
    out.reserve(f.size());
    for (const NodeId id : f) out.push_back((*this)(id));
    return out;
  }

 private:
  NodeId leaf(NodeId id, const Node& n) const {
    if (n.count != 0) throw NeedsUnrolling();
    const auto pick = [&](const std::vector<NodeId>& values) {
      return values.empty() ? id : values[static_cast<std::size_t>(n.base())];
    };
    switch (n.space) {
      case kTime: return t_;
      case kPosition: return pick(q_);
      case kVelocity: return pick(v_);
      case kMultiplier: return pick(multipliers_);
      default: return id;
    }
  }

  Graph* graph_;
  NodeId t_;
  std::vector<NodeId> q_, v_, multipliers_;
  std::unordered_map<NodeId, NodeId> image_;
};

}  // namespace rattleback
