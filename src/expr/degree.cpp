#include "expr/degree.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "expr/traverse.hpp"

namespace rattleback {

std::optional<int> polynomial_degree(const Graph& graph, NodeId expr, Space space) {
  constexpr int kNone = -1;
  std::unordered_map<NodeId, int> degree;
  for (const NodeId id : reachable(graph, std::span(&expr, 1))) {
    const Node n = graph[id];
    int d = 0;
    if (n.op == Op::variable) {
      d = n.space == space ? 1 : 0;
    } else if (!is_leaf(n.op)) {
      const int k = arity(n.op);
      const int a = degree.at(n.a), b = k > 1 ? degree.at(n.b) : 0, c = k > 2 ? degree.at(n.c) : 0;
      if (a == 0 && b == 0 && c == 0) {
        d = 0;
      } else if (a == kNone || b == kNone || c == kNone) {
        d = kNone;
      } else if (n.op == Op::neg || n.op == Op::sum) {
        d = a;
      } else if (n.op == Op::add || n.op == Op::sub) {
        d = std::max(a, b);
      } else if (n.op == Op::mul) {
        d = a + b;
      } else if (n.op == Op::div) {
        d = b == 0 ? a : kNone;
      } else if (n.op == Op::pow && graph.is_constant(n.b)) {
        const double e = graph[n.b].value;
        d = e >= 0.0 && e == std::floor(e) && e < 64.0 ? a * static_cast<int>(e) : kNone;
      } else {
        d = kNone;
      }
    }
    degree[id] = d;
  }
  const int d = degree.at(expr);
  return d == kNone ? std::nullopt : std::optional<int>(d);
}

}  // namespace rattleback
