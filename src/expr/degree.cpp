#include "expr/degree.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "expr/traverse.hpp"

namespace rattleback {

namespace {

constexpr int kNone = -1;

// Of an operation whose arguments are polynomials of degrees a and b, not both constant.
int degree_of(const Graph& graph, const Node& n, int a, int b) {
  switch (n.op) {
    case Op::neg:
    case Op::sum: return a;
    case Op::add:
    case Op::sub: return std::max(a, b);
    case Op::mul: return a + b;
    case Op::div: return b == 0 ? a : kNone;
    case Op::pow: {
      if (!graph.is_constant(n.b)) return kNone;
      const double e = graph[n.b].value;
      return e >= 0.0 && e == std::floor(e) && e < 64.0 ? a * static_cast<int>(e) : kNone;
    }
    default: return kNone;
  }
}

}  // namespace

std::optional<int> polynomial_degree(const Graph& graph, NodeId expr, Space space) {
  std::unordered_map<NodeId, int> degree;
  for (const NodeId id : reachable(graph, std::span(&expr, 1))) {
    const Node n = graph[id];
    int d = 0;
    if (n.op == Op::variable) {
      d = n.space == space ? 1 : 0;
    } else if (!is_leaf(n.op)) {
      const int k = arity(n.op);
      const int a = degree.at(n.a), b = k > 1 ? degree.at(n.b) : 0, c = k > 2 ? degree.at(n.c) : 0;
      const bool constant = a == 0 && b == 0 && c == 0, polynomial = a != kNone && b != kNone && c != kNone;
      if (!constant) d = polynomial ? degree_of(graph, n, a, b) : kNone;
    }
    degree[id] = d;
  }
  const int d = degree.at(expr);
  return d == kNone ? std::nullopt : std::optional<int>(d);
}

}  // namespace rattleback
