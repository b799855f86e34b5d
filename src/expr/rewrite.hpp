// Many formulas with other leaves. What was rewritten is remembered, so what formulas have in common is rewritten once.
#pragma once

#include <utility>
#include <vector>

#include "expr/traverse.hpp"

namespace rattleback {

// Leaf: variable node -> what stands in its place.
template <class Leaf>
class Rewrite {
 public:
  Rewrite(Graph& graph, Leaf leaf) : g_(graph), leaf_(std::move(leaf)) {}

  NodeId operator()(NodeId expr) {
    if (image_.size() < g_.size()) image_.resize(g_.size(), 0);
    open_.assign(1, expr);
    while (!open_.empty()) {
      const NodeId id = open_.back();
      if (known(id)) {
        open_.pop_back();
        continue;
      }
      const Node n = g_[id];
      NodeId image = id;
      if (n.op == Op::variable) {
        image = leaf_(id);
      } else if (!is_leaf(n.op)) {
        bool ready = true, same = true;
        for_each_argument(n, [&](NodeId k) {
          if (!known(k)) {
            open_.push_back(k);
            ready = false;
          } else {
            same = same && image_[k] == k + 1;
          }
        });
        if (!ready) continue;
        if (!same) image = rebuild(g_, id, [&](NodeId k) { return image_[k] - 1; });
      }
      image_[id] = image + 1;
      open_.pop_back();
    }
    return image_[expr] - 1;
  }

  // From here on `to` stands in the place of the formula `from`.
  void set(NodeId from, NodeId to) {
    if (image_.size() < g_.size()) image_.resize(g_.size(), 0);
    image_[from] = to + 1;
  }
  void forget() { image_.clear(); }

 private:
  [[nodiscard]] bool known(NodeId id) const { return id < image_.size() && image_[id] != 0; }

  Graph& g_;
  Leaf leaf_;
  std::vector<NodeId> image_;  // by node; number + 1, 0: not known yet
  std::vector<NodeId> open_;
};

}  // namespace rattleback
