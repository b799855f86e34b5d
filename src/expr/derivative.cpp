// Exact derivatives on the graph. Gradients run in reverse over the shared nodes, so they cost a small multiple of the
// function; a family is differentiated once, on its body, and its gradient is again a family.
#include <map>
#include <tuple>
#include <unordered_map>

#include "expr/traverse.hpp"
#include "rattleback/error.hpp"

namespace rattleback {
namespace {

struct Partials {
  NodeId a, b, c;
};

// adj * d(node)/d(argument) for each argument, as new nodes.
Partials pull_back(Graph& g, NodeId id, NodeId adj) {
  const Node n = g[id];
  const NodeId a = n.a, b = n.b, none = g.zero();
  const auto one = [&] { return g.one(); };
  const auto two_adj_half = [&](NodeId x) { return g.mul(g.constant(0.5), x); };
  switch (n.op) {
    case Op::neg: return {g.neg(adj), none, none};
    case Op::sin: return {g.mul(adj, g.unary(Op::cos, a)), none, none};
    case Op::cos: return {g.neg(g.mul(adj, g.unary(Op::sin, a))), none, none};
    case Op::tan: return {g.mul(adj, g.add(one(), g.mul(id, id))), none, none};
    case Op::asin: return {g.div(adj, g.unary(Op::sqrt, g.sub(one(), g.mul(a, a)))), none, none};
    case Op::acos: return {g.neg(g.div(adj, g.unary(Op::sqrt, g.sub(one(), g.mul(a, a))))), none, none};
    case Op::atan: return {g.div(adj, g.add(one(), g.mul(a, a))), none, none};
    case Op::sinh: return {g.mul(adj, g.unary(Op::cosh, a)), none, none};
    case Op::cosh: return {g.mul(adj, g.unary(Op::sinh, a)), none, none};
    case Op::tanh: return {g.mul(adj, g.sub(one(), g.mul(id, id))), none, none};
    case Op::exp: return {g.mul(adj, id), none, none};
    case Op::log: return {g.div(adj, a), none, none};
    case Op::sqrt: return {g.div(two_adj_half(adj), id), none, none};
    case Op::abs: return {g.mul(adj, g.unary(Op::sign, a)), none, none};
    case Op::add: return {adj, adj, none};
    case Op::sub: return {adj, g.neg(adj), none};
    case Op::mul: return {g.mul(adj, b), g.mul(adj, a), none};
    case Op::div: {
      const NodeId q = g.div(adj, b);
      return {q, g.neg(g.mul(q, id)), none};
    }
    case Op::pow: {
      const NodeId da = g.mul(adj, g.mul(b, g.binary(Op::pow, a, g.sub(b, one()))));
      if (g.is_constant(b)) return {da, none, none};
      return {da, g.mul(adj, g.mul(id, g.unary(Op::log, a))), none};
    }
    case Op::atan2: {
      const NodeId q = g.div(adj, g.add(g.mul(a, a), g.mul(b, b)));
      return {g.mul(q, b), g.neg(g.mul(q, a)), none};
    }
    case Op::hypot: {
      const NodeId q = g.div(adj, id);
      return {g.mul(q, a), g.mul(q, b), none};
    }
    case Op::min: {
      const NodeId second = g.binary(Op::less, b, a);
      return {g.select(second, none, adj), g.select(second, adj, none), none};
    }
    case Op::max: {
      const NodeId second = g.binary(Op::less, a, b);
      return {g.select(second, none, adj), g.select(second, adj, none), none};
    }
    case Op::select: return {none, g.select(a, adj, none), g.select(a, none, adj)};
    case Op::lookup: return {g.mul(adj, g.lookup(n.c, a, true)), none, none};
    case Op::sign:
    case Op::less:
    case Op::less_equal:
    case Op::lookup_slope: return {none, none, none};
    case Op::constant:
    case Op::variable:
    case Op::index:
    case Op::table:
    case Op::sum: break;
  }
  throw Error("pull_back: not an arithmetic operation");
}

// One reverse sweep from `root`, seeded with 1. context = 0: root is one number; context = n: one number for each i of
// a loop of n, and adjoints stay inside that loop. Calls leaf(node, adjoint, loop) for each variable of the space.
template <class F>
void reverse(Graph& g, NodeId root, std::int32_t context, Space space, F&& leaf) {
  static thread_local NodeMap<char> active;
  static thread_local NodeMap<NodeId> adjoint;
  const std::vector<NodeId> order = reachable(g, std::span(&root, 1));
  active.clear(g.size());
  for (const NodeId id : order) {
    const Node& n = g[id];
    bool is = n.op == Op::variable && n.space == space;
    for_each_argument(n, [&](NodeId k) { is = is || active.has(k); });
    if (is) active.set(id, 1);
  }
  if (!active.has(root)) return;
  adjoint.clear(g.size());
  adjoint.set(root, g.one());
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const NodeId id = *it;
    if (!active.has(id) || !adjoint.has(id)) continue;
    const Node n = g[id];
    const NodeId adj = adjoint[id];
    if (g.is_constant(adj, 0.0)) continue;
    if (n.op == Op::variable) {
      leaf(n, adj, context != 0 ? context : n.count);
      continue;
    }
    const auto give = [&](NodeId to, NodeId value) {
      if (!active.has(to)) return;
      // A number shared by all members of a loop collects from all of them.
      if (context == 0 && n.op != Op::sum && n.count != 0 && g[to].count == 0) value = g.sum(value, n.count);
      adjoint.set(to, adjoint.has(to) ? g.add(adjoint[to], value) : value);
    };
    if (n.op == Op::sum) {
      if (context != 0) throw NeedsUnrolling();  // d(member i)/d(member j): a loop in a loop
      give(n.a, adj);
      continue;
    }
    const Partials p = pull_back(g, id, adj);
    const int k = arity(n.op);
    if (k > 0) give(n.a, p.a);
    if (k > 1) give(n.b, p.b);
    if (k > 2) give(n.c, p.c);
  }
}

// Adds up entries that have the same place.
class Collector {
 public:
  explicit Collector(Graph& g) : graph_(g) {}
  void add(const Entry& e) {
    const auto key = std::tuple(e.count, e.row.base, e.row.stride, e.col.base, e.col.stride);
    const auto [it, fresh] = where_.try_emplace(key, entries_.size());
    if (fresh)
      entries_.push_back(e);
    else
      entries_[it->second].expr = graph_.add(entries_[it->second].expr, e.expr);
  }
  Entries take() {
    std::erase_if(entries_, [&](const Entry& e) { return graph_.is_constant(e.expr, 0.0); });
    return std::move(entries_);
  }

 private:
  Graph& graph_;
  Entries entries_;
  std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t, std::int32_t>, std::size_t> where_;
};

}  // namespace

Entries gradient(Graph& graph, NodeId expr, Space space) {
  Collector out(graph);
  reverse(graph, expr, 0, space, [&](const Node& n, NodeId adj, std::int32_t loop) {
    out.add({adj, loop, {n.base(), n.stride()}, {}});
  });
  return out.take();
}

Entries jacobian(Graph& graph, std::span<const Entry> f, Space space) {
  Collector out(graph);
  for (const Entry& e : f) {
    reverse(graph, e.expr, e.count, space, [&](const Node& n, NodeId adj, std::int32_t loop) {
      if (e.count == 0 && n.count != 0)
        out.add({adj, loop, {e.row.base, 0}, {n.base(), n.stride()}});
      else
        out.add({adj, loop, e.row, {n.base(), n.stride()}});
    });
  }
  return out.take();
}

NodeId tangent(Graph& graph, NodeId expr, const std::function<NodeId(NodeId)>& seed) {
  std::unordered_map<NodeId, NodeId> dot;
  for (const NodeId id : reachable(graph, std::span(&expr, 1))) {
    const Node n = graph[id];
    NodeId d = graph.zero();
    if (n.op == Op::variable) {
      d = seed(id);
    } else if (n.op == Op::sum) {
      d = graph.sum(dot.at(n.a), static_cast<std::int32_t>(n.b));
    } else if (!is_leaf(n.op)) {
      const int k = arity(n.op);
      if (k > 0 && !graph.is_constant(dot.at(n.a), 0.0)) d = graph.add(d, pull_back(graph, id, dot.at(n.a)).a);
      if (k > 1 && !graph.is_constant(dot.at(n.b), 0.0)) d = graph.add(d, pull_back(graph, id, dot.at(n.b)).b);
      if (k > 2 && !graph.is_constant(dot.at(n.c), 0.0)) d = graph.add(d, pull_back(graph, id, dot.at(n.c)).c);
    }
    dot[id] = d;
  }
  return dot.at(expr);
}

NodeId total_time_derivative(Graph& graph, NodeId expr) {
  return tangent(graph, expr, [&](NodeId id) {
    const Node n = graph[id];
    if (n.space == kTime) return graph.one();
    if (n.space == kPosition) return graph.variable(kVelocity, n.base(), n.stride(), n.count);
    return graph.zero();
  });
}

NodeId substitute(Graph& graph, NodeId expr, const std::function<NodeId(NodeId)>& leaf) {
  std::unordered_map<NodeId, NodeId> image;
  for (const NodeId id : reachable(graph, std::span(&expr, 1)))
    image[id] = graph[id].op == Op::variable ? leaf(id) : rebuild(graph, id, [&](NodeId k) { return image.at(k); });
  return image.at(expr);
}

bool depends_on(const Graph& graph, std::span<const NodeId> exprs, Space space) {
  for (const NodeId id : reachable(graph, exprs))
    if (graph[id].op == Op::variable && graph[id].space == space) return true;
  return false;
}

bool depends_on(const Graph& graph, std::span<const Entry> entries, Space space) {
  std::vector<NodeId> roots;
  roots.reserve(entries.size());
  for (const Entry& e : entries) roots.push_back(e.expr);
  return depends_on(graph, roots, space);
}

}  // namespace rattleback
