// The summands of an expression.
#pragma once

#include <vector>

#include "rattleback/expr.hpp"

namespace rattleback {

// The summands of an expression, so that a residual can be compared with what cancelled in it.
// Neither a long sum nor one in which each part occurs twice, and so on, is a matter of the stack or of memory: from
// kMostTerms on, sums count as one term.
inline void collect_terms(const Graph& g, NodeId root, std::vector<NodeId>& out) {
  constexpr std::size_t kMostTerms = 100'000;
  std::vector<NodeId> open = {root};
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    const Node& n = g[id];
    const bool opens = out.size() + open.size() < kMostTerms;
    if (opens && (n.op == Op::add || n.op == Op::sub)) {
      open.push_back(n.b);
      open.push_back(n.a);
    } else if (opens && n.op == Op::neg) {
      open.push_back(n.a);
    } else if (opens && n.op == Op::mul && g.is_constant(n.a) && (g[n.b].op == Op::add || g[n.b].op == Op::sub)) {
      open.push_back(n.b);  // c*(a + b) counts as c*a + c*b: the size of the product, not of its cancelled factor
    } else {
      out.push_back(id);
    }
  }
}

}  // namespace rattleback
