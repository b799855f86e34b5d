// The summands of an expression.
#pragma once

#include <vector>

#include "rattleback/expr.hpp"

namespace rattleback {

// The summands of an expression, so that a residual can be compared with what cancelled in it.
inline void collect_terms(const Graph& g, NodeId id, std::vector<NodeId>& out) {
  const Node& n = g[id];
  if (n.op == Op::add || n.op == Op::sub) {
    collect_terms(g, n.a, out);
    collect_terms(g, n.b, out);
  } else if (n.op == Op::neg) {
    collect_terms(g, n.a, out);
  } else {
    // c*(a + b) counts as c*a + c*b: the size of the product, not of its cancelled factor.
    if (n.op == Op::mul && g.is_constant(n.a) && (g[n.b].op == Op::add || g[n.b].op == Op::sub)) {
      collect_terms(g, n.b, out);
      return;
    }
    out.push_back(id);
  }
}

}  // namespace rattleback
