// Exact derivatives on the graph. Gradients run in reverse over the shared nodes, so they cost a small multiple of the
// function; a family is differentiated once, on its body, and its gradient is again a family.
//
// Branches: the slope of if(c, a, b) is that of the branch taken, and the other one does not count, even where it is not a
// number. A product with 0 would not do (0*nan is nan), so a sweep carries with each adjoint the condition under which it
// counts, and an adjoint that leaves the part of the graph that belongs to a condition is selected by it:
// select(c, a' * adjoint, 0), not a' * select(c, adjoint, 0). Where nothing in a branch can fail to be a number, the second
// form costs less and does as well. min and max are branches, too. At the tip of the cone
// hypot(a, b), where it has no slope, 0 is taken, as for abs.
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>

#include "expr/partial_gradient.hpp"
#include "expr/per_thread.hpp"
#include "expr/traverse.hpp"
#include "rattleback/error.hpp"

namespace rattleback {
namespace {

struct Partials {
  NodeId a, b;
};

// adj * d(node)/d(argument) for each argument, as new nodes.
Partials pull_back(Graph& g, NodeId id, NodeId adj) {
  const Node n = g[id];
  const NodeId a = n.a, b = n.b, none = g.zero();
  const auto one = [&] { return g.one(); };
  const auto two_adj_half = [&](NodeId x) { return g.mul(g.constant(0.5), x); };
  switch (n.op) {
    case Op::neg: return {g.neg(adj), none};
    case Op::sin: return {g.mul(adj, g.unary(Op::cos, a)), none};
    case Op::cos: return {g.neg(g.mul(adj, g.unary(Op::sin, a))), none};
    case Op::tan: return {g.mul(adj, g.add(one(), g.mul(id, id))), none};
    case Op::asin: return {g.div(adj, g.unary(Op::sqrt, g.sub(one(), g.mul(a, a)))), none};
    case Op::acos: return {g.neg(g.div(adj, g.unary(Op::sqrt, g.sub(one(), g.mul(a, a))))), none};
    case Op::atan: return {g.div(adj, g.add(one(), g.mul(a, a))), none};
    case Op::sinh: return {g.mul(adj, g.unary(Op::cosh, a)), none};
    case Op::cosh: return {g.mul(adj, g.unary(Op::sinh, a)), none};
    case Op::tanh: return {g.mul(adj, g.sub(one(), g.mul(id, id))), none};
    case Op::exp: return {g.mul(adj, id), none};
    case Op::log: return {g.div(adj, a), none};
    case Op::sqrt: return {g.div(two_adj_half(adj), id), none};
    case Op::abs: return {g.mul(adj, g.unary(Op::sign, a)), none};
    case Op::add: return {adj, adj};
    case Op::sub: return {adj, g.neg(adj)};
    case Op::mul: return {g.mul(adj, b), g.mul(adj, a)};
    case Op::div: {
      const NodeId q = g.div(adj, b);
      return {q, g.neg(g.mul(q, id))};
    }
    case Op::pow: {
      const NodeId da = g.mul(adj, g.mul(b, g.binary(Op::pow, a, g.sub(b, one()))));
      if (g.is_constant(b)) return {da, none};
      return {da, g.mul(adj, g.mul(id, g.unary(Op::log, a)))};
    }
    case Op::atan2: {
      const NodeId q = g.div(adj, g.add(g.mul(a, a), g.mul(b, b)));
      return {g.mul(q, b), g.neg(g.mul(q, a))};
    }
    case Op::hypot: {
      const NodeId q = g.select(g.binary(Op::less, none, id), g.div(adj, id), none);
      return {g.mul(q, a), g.mul(q, b)};
    }
    case Op::lookup: return {g.mul(adj, g.lookup(n.c, a, true)), none};
    case Op::sign:
    case Op::less:
    case Op::less_equal:
    case Op::lookup_slope: return {none, none};
    case Op::min:  // branches have rules of their own
    case Op::max:
    case Op::select:
    case Op::constant:
    case Op::variable:
    case Op::index:
    case Op::table:
    case Op::input:
    case Op::sum: break;
  }
  throw Error("pull_back: not an arithmetic operation");
}

// An operation that takes one of two arguments: `yes` where the condition, a node with values 0 and 1, holds.
struct Branch {
  NodeId condition, yes, no;
};

bool is_branch(Op op) { return op == Op::select || op == Op::min || op == Op::max; }

Branch branch_of(Graph& g, const Node& n) {
  if (n.op == Op::select) return {truth(g, n.a), n.b, n.c};
  return {n.op == Op::min ? g.binary(Op::less, n.b, n.a) : g.binary(Op::less, n.a, n.b), n.b, n.a};
}

// Conditions as numbers 0 and 1; the constant 1 is "always".
NodeId negation(Graph& g, NodeId a) { return g.select(a, g.zero(), g.one()); }
NodeId both(Graph& g, NodeId a, NodeId b) {
  if (a == b || g.is_constant(b)) return a;
  return g.select(a, b, g.zero());
}
NodeId either(Graph& g, NodeId a, NodeId b) {
  if (a == b || g.is_constant(a)) return a;
  if (g.is_constant(b)) return b;
  if (b == negation(g, a) || a == negation(g, b)) return g.one();
  const Node x = g[a], y = g[b];  // the two sides of a branch inside another one: c and d, c and not d
  if (x.op == Op::select && y.op == Op::select && x.a == y.a && g.is_constant(x.c, 0.0) && g.is_constant(y.c, 0.0))
    return both(g, x.a, either(g, x.b, y.b));
  return g.select(a, g.one(), b);
}

// x where the condition holds, else 0.
NodeId counted(Graph& g, NodeId condition, NodeId x) {
  const Node c = g[condition];
  if (c.op == Op::select && g.is_constant(c.b, 0.0) && g.is_constant(c.c, 1.0)) return g.select(c.a, g.zero(), x);
  return g.select(condition, x, g.zero());
}

// The adjoint of a node while its users are still being visited: a sum, and the condition under which it counts.
// Contributions with another condition wait in a sum of their own, so that each is selected once.
class Adjoint {
 public:
  Adjoint() = default;
  Adjoint(NodeId condition, NodeId value) : waiting_condition_(condition), waiting_(value), waits_(true) {}

  void add(Graph& g, NodeId condition, NodeId value) {
    if (condition == waiting_condition_) {
      waiting_ = g.add(waiting_, value);
      return;
    }
    settle(g);
    waiting_condition_ = condition;
    waiting_ = value;
    waits_ = true;
  }
  void settle(Graph& g) {
    if (waits_ && !any_) {
      condition_ = waiting_condition_;
      value_ = waiting_;
    } else if (waits_) {
      const NodeId common = either(g, condition_, waiting_condition_);
      const auto part = [&](NodeId c, NodeId x) { return c == common ? x : counted(g, c, x); };
      value_ = g.add(part(condition_, value_), part(waiting_condition_, waiting_));
      condition_ = common;
    }
    any_ = any_ || waits_;
    waits_ = false;
    waiting_condition_ = kNoCondition;
  }
  // Once settled.
  [[nodiscard]] NodeId condition() const { return condition_; }
  [[nodiscard]] NodeId value() const { return value_; }

 private:
  static constexpr NodeId kNoCondition = static_cast<NodeId>(-1);
  NodeId condition_ = 0, value_ = 0, waiting_condition_ = kNoCondition, waiting_ = 0;
  bool any_ = false, waits_ = false;
};

// Certainly not negative, or not a number? Guards are short: `depth` bounds the search.
bool not_negative(const Graph& g, NodeId id, int depth = 4) {
  const Node& n = g[id];
  const auto arguments = [&] { return not_negative(g, n.a, depth - 1) && not_negative(g, n.b, depth - 1); };
  if (n.op == Op::constant) return n.value >= 0.0;
  if (n.op == Op::abs || (n.op == Op::mul && n.a == n.b)) return true;
  return (n.op == Op::mul || n.op == Op::add) && depth > 0 && arguments();
}

// Zero, or not a number, where x is zero?
bool vanishes_with(const Graph& g, NodeId id, NodeId x, int depth = 4) {
  const Node& n = g[id];
  if (id == x || depth == 0) return id == x;
  if (n.op == Op::mul) return vanishes_with(g, n.a, x, depth - 1) || vanishes_with(g, n.b, x, depth - 1);
  return (n.op == Op::neg || n.op == Op::abs) && vanishes_with(g, n.a, x, depth - 1);
}

// Does the condition keep x from zero, as 0 < |x| does?
bool excludes_zero(const Graph& g, NodeId condition, NodeId x) {
  const Node& c = g[condition];
  while (g[x].op == Op::neg || (g[x].op == Op::mul && g.is_constant(g[x].a)))  // a constant factor is not zero
    x = g[x].op == Op::neg ? g[x].a : g[x].b;
  if (c.op == Op::less) return not_negative(g, c.a) && vanishes_with(g, c.b, x);
  return c.op == Op::less_equal && g.is_constant(c.a) && g[c.a].value > 0.0 && vanishes_with(g, c.b, x);
}

// Can the value or a slope of this operation be no finite number where its arguments are?
bool can_fail(const Graph& g, const Node& n) {
  switch (n.op) {
    case Op::tan:
    case Op::asin:
    case Op::acos:
    case Op::sinh:
    case Op::cosh:
    case Op::exp:
    case Op::log:
    case Op::sqrt:
    case Op::pow:
    case Op::atan2: return true;
    case Op::div: {  // not by a number of usual size, nor by x where that is not zero, else by such a number
      const Node& d = g[n.b];
      const auto usual = [&](NodeId k) { return g.is_constant(k) && std::isnormal(g[k].value); };
      return !usual(n.b) && !(d.op == Op::select && usual(d.c) && excludes_zero(g, d.a, d.b));
    }
    case Op::constant:
    case Op::variable:
    case Op::index:
    case Op::table:
    case Op::input:
    case Op::neg:
    case Op::sin:
    case Op::cos:
    case Op::atan:
    case Op::tanh:
    case Op::abs:
    case Op::sign:
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::min:
    case Op::max:
    case Op::hypot:
    case Op::less:
    case Op::less_equal:
    case Op::select:
    case Op::sum:
    case Op::lookup:
    case Op::lookup_slope: return false;
  }
  return false;
}

// Numbers that are none, such as sqrt(r) with the parameter r = -1.
bool has_failed(const Graph& g, const Node& n) {
  if (n.op == Op::constant) return !std::isfinite(n.value);
  if (n.op != Op::table) return false;
  for (std::int32_t i = 0; i < n.count; ++i)
    if (!std::isfinite(g.table_values(n.c)[static_cast<std::size_t>(n.base() + n.stride() * i)])) return true;
  return false;
}

// These give a number for whatever is no number.
bool is_comparison(Op op) { return op == Op::less || op == Op::less_equal || op == Op::sign; }

// What a reverse sweep keeps of nodes.
struct Sweep {
  NodeMap<char> needed;  // whatever branches are taken
  NodeMap<char> active, risky;
  NodeMap<Adjoint> adjoint;
};

// Arguments of branches in which something can fail that is needed in that branch only. order: all nodes, ascending.
void find_risky(const Graph& g, NodeId root, const std::vector<NodeId>& order) {
  auto& sweep = per_thread<Sweep>();
  NodeMap<char>&needed = sweep.needed, &risky = sweep.risky;

  needed.clear(g.size());
  needed.set(root, 1);
  bool branches = false;
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const Op op = g[*it].op;
    branches = branches || is_branch(op);
    if (needed.has(*it) && !is_branch(op) && !is_comparison(op))
      for_each_argument(g[*it], [&](NodeId k) { needed.set(k, 1); });
  }
  risky.clear(g.size());
  if (!branches) return;
  for (const NodeId id : order) {
    bool is = has_failed(g, g[id]);  // even where it is needed: x/inf is 0, x*inf is not
    if (needed.has(id) && !is) continue;
    is = is || can_fail(g, g[id]);
    for_each_argument(g[id], [&](NodeId k) { is = is || risky.has(k); });
    if (is) risky.set(id, 1);
  }
}

// One reverse sweep from `root`, seeded with 1. context = 0: root is one number; context = n: one number for each i of
// a loop of n, and adjoints stay inside that loop. Calls leaf(node, adjoint, loop) for each variable for which
// wanted(node) holds.
template <class Wanted, class F>
void reverse(Graph& g, NodeId root, std::int32_t context, Wanted&& wanted, F&& leaf) {
  auto& sweep = per_thread<Sweep>();
  NodeMap<char>&active = sweep.active, &risky = sweep.risky;
  NodeMap<Adjoint>& adjoint = sweep.adjoint;
  const std::vector<NodeId> order = reachable(g, std::span(&root, 1));
  active.clear(g.size());
  for (const NodeId id : order) {
    const Node& n = g[id];
    bool is = n.op == Op::variable && wanted(n);
    for_each_argument(n, [&](NodeId k) { is = is || active.has(k); });
    if (is) active.set(id, 1);
  }
  if (!active.has(root)) return;
  find_risky(g, root, order);
  adjoint.clear(g.size());
  adjoint.set(root, Adjoint(g.one(), g.one()));
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const NodeId id = *it;
    if (!active.has(id) || !adjoint.has(id)) continue;
    const Node n = g[id];
    adjoint[id].settle(g);
    const NodeId adj = adjoint[id].value(), condition = adjoint[id].condition();
    if (g.is_constant(adj, 0.0)) continue;
    if (n.op == Op::variable) {
      leaf(n, counted(g, condition, adj), context != 0 ? context : n.count);
      continue;
    }
    const auto give = [&](NodeId to, NodeId value, NodeId when) {
      // A contribution of 0, as from a comparison, needs no condition, and gives none.
      if (!active.has(to) || g.is_constant(value, 0.0)) return;
      // A number shared by all members of a loop collects from all of them for which it counts.
      if (context == 0 && n.op != Op::sum && n.count != 0 && g[to].count == 0) {
        if (g[when].count != 0) {
          value = counted(g, when, value);
          when = g.one();
        }
        value = g.sum(value, n.count);
      }
      if (adjoint.has(to))
        adjoint[to].add(g, when, value);
      else
        adjoint.set(to, Adjoint(when, value));
    };
    if (n.op == Op::sum) {
      if (context != 0) throw NeedsUnrolling();  // d(member i)/d(member j): a loop in a loop
      give(n.a, adj, condition);
      continue;
    }
    if (is_branch(n.op)) {
      const Branch b = branch_of(g, n);
      const auto side = [&](NodeId to, NodeId when) {
        if (risky.has(to))
          give(to, adj, both(g, condition, when));
        else
          give(to, counted(g, when, adj), condition);
      };
      side(b.yes, b.condition);
      side(b.no, negation(g, b.condition));
      continue;
    }
    const Partials p = pull_back(g, id, adj);
    const int k = arity(n.op);
    if (k > 0) give(n.a, p.a, condition);
    if (k > 1) give(n.b, p.b, condition);
  }
}

auto of_space(Space space) {
  return [space](const Node& n) { return n.space == space; };
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
  reverse(graph, expr, 0, of_space(space), [&](const Node& n, NodeId adj, std::int32_t loop) {
    out.add({adj, loop, {n.base(), n.stride()}, {}});
  });
  return out.take();
}

Entries partial_gradient(Graph& graph, NodeId expr, Space space, const std::function<bool(std::int32_t)>& wanted) {
  Collector out(graph);
  reverse(
      graph, expr, 0, [&](const Node& n) { return n.space == space && wanted(n.base()); },
      [&](const Node& n, NodeId adj, std::int32_t loop) {
        out.add({adj, loop, {n.base(), n.stride()}, {}});
      });
  return out.take();
}

Entries jacobian(Graph& graph, std::span<const Entry> f, Space space) {
  Collector out(graph);
  for (const Entry& e : f) {
    reverse(graph, e.expr, e.count, of_space(space), [&](const Node& n, NodeId adj, std::int32_t loop) {
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
    } else if (is_branch(n.op)) {
      const Branch b = branch_of(graph, n);
      d = graph.select(b.condition, dot.at(b.yes), dot.at(b.no));
    } else if (!is_leaf(n.op)) {
      const int k = arity(n.op);
      if (k > 0 && !graph.is_constant(dot.at(n.a), 0.0)) d = graph.add(d, pull_back(graph, id, dot.at(n.a)).a);
      if (k > 1 && !graph.is_constant(dot.at(n.b), 0.0)) d = graph.add(d, pull_back(graph, id, dot.at(n.b)).b);
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
