#include "expr/hinges.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>

#include "expr/rewrite.hpp"
#include "expr/spaces.hpp"

namespace rattleback {
namespace {

// Below these, repeating the work costs less than a product for each function and variable.
constexpr std::size_t kFewestVariables = 4, kFewestFunctions = 4;

// Which variables and hinges a node contains: variables as they are numbered, hinges behind them.
class Sets {
 public:
  Sets(std::size_t nodes, std::size_t bits) : words_((bits + 63) / 64), bits_(nodes * words_, 0) {}
  void insert(std::size_t node, std::size_t bit) { row(node)[bit / 64] |= std::uint64_t{1} << (bit % 64); }
  void join(std::size_t node, std::size_t other) {
    for (std::size_t k = 0; k < words_; ++k) row(node)[k] |= row(other)[k];
  }
  void clear(std::size_t node) { std::fill_n(row(node), words_, 0); }
  std::size_t count(std::size_t node) {
    std::size_t sum = 0;
    for (std::size_t k = 0; k < words_; ++k) sum += static_cast<std::size_t>(std::popcount(row(node)[k]));
    return sum;
  }

 private:
  std::uint64_t* row(std::size_t node) { return bits_.data() + node * words_; }
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

// Hinges in the order in which they depend on each other.
std::vector<NodeId> find_hinges(const Graph& g, std::span<const NodeId> functions, Space space) {
  const std::vector<NodeId> order = reachable(g, functions);
  std::vector<std::int32_t> place(g.size(), -1);
  for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = static_cast<std::int32_t>(k);
  const auto at = [&](NodeId id) { return static_cast<std::size_t>(place[id]); };
  std::vector<std::size_t> above(order.size(), 0), users(order.size(), 0);  // how many functions contain it; use it
  for (const NodeId& f : functions)
    for (const NodeId id : reachable(g, std::span(&f, 1))) ++above[at(id)];
  std::size_t variables = 0, candidates = 0;
  for (const NodeId id : order) {
    for_each_argument(g[id], [&](NodeId k) { ++users[at(k)]; });
    if (g[id].op == Op::variable && g[id].space == space)
      variables = std::max(variables, static_cast<std::size_t>(g[id].base()) + 1);
  }
  const auto may_be = [&](NodeId id) { return above[at(id)] >= kFewestFunctions && users[at(id)] >= 2; };
  for (const NodeId id : order) candidates += may_be(id) ? 1 : 0;
  Sets sets(order.size(), variables + candidates);
  std::vector<NodeId> hinges;
  for (const NodeId id : order) {
    const Node& n = g[id];
    const std::size_t mine = at(id);
    if (n.op == Op::variable && n.space == space) sets.insert(mine, static_cast<std::size_t>(n.base()));
    for_each_argument(n, [&](NodeId k) { sets.join(mine, at(k)); });
    if (!may_be(id) || sets.count(mine) < kFewestVariables) continue;
    sets.clear(mine);
    sets.insert(mine, variables + hinges.size());
    hinges.push_back(id);
  }
  return hinges;
}

}  // namespace

std::vector<GradientRow> jacobian_by_hinges(Graph& g, std::span<const NodeId> functions, Space space) {
  const std::vector<NodeId> hinges = find_hinges(g, functions, space);
  if (hinges.empty()) return {};
  // With hinges as variables. Hinges are set in their order, so that each is written with those before it.
  Rewrite to_variables(g, [](NodeId leaf) { return leaf; });
  Rewrite back(g, [&](NodeId leaf) {
    const Node& n = g[leaf];
    return n.space == kHinge ? hinges[static_cast<std::size_t>(n.base())] : leaf;
  });
  struct Derivatives {
    GradientRow direct;
    std::map<std::int32_t, NodeId> by_hinge;
  };
  const auto derive = [&](NodeId f) {
    Derivatives out;
    const NodeId e = to_variables(f);
    for (const Entry& d : gradient(g, e, space)) out.direct[d.row.base] = back(d.expr);
    for (const Entry& d : gradient(g, e, kHinge)) out.by_hinge[d.row.base] = back(d.expr);
    return out;
  };
  std::vector<Derivatives> of_hinge;
  for (std::size_t k = 0; k < hinges.size(); ++k) {
    of_hinge.push_back(derive(hinges[k]));
    to_variables.set(hinges[k], g.variable(kHinge, static_cast<std::int32_t>(k)));
  }
  const auto add = [&](std::map<std::int32_t, NodeId>& to, std::int32_t variable, NodeId term) {
    const auto [place, fresh] = to.try_emplace(variable, term);
    if (!fresh) place->second = g.add(place->second, term);
  };
  // slope * e. Where a hinge belongs to a branch that is not taken, its slope is a selected 0, and e may be no number.
  const std::function<NodeId(NodeId, NodeId)> times = [&](NodeId slope, NodeId e) -> NodeId {
    const Node n = g[slope];
    if (n.op == Op::select && (g.is_constant(n.b, 0.0) || g.is_constant(n.c, 0.0)))
      return g.select(n.a, times(n.b, e), times(n.c, e));
    const auto branches = [&](NodeId k) { return g[k].op == Op::select; };
    if ((n.op == Op::add || n.op == Op::sub) && (branches(n.a) || branches(n.b)))
      return g.binary(n.op, times(n.a, e), times(n.b, e));
    if (n.op == Op::neg && branches(n.a)) return g.neg(times(n.a, e));
    return g.mul(slope, e);
  };
  // The last hinge first: what it adds may belong to the ones before it.
  const auto expand = [&](Derivatives d) {
    while (!d.by_hinge.empty()) {
      const auto [hinge, slope] = *d.by_hinge.rbegin();
      d.by_hinge.erase(hinge);
      const Derivatives& below = of_hinge[static_cast<std::size_t>(hinge)];
      for (const auto& [variable, e] : below.direct) add(d.direct, variable, times(slope, e));
      for (const auto& [other, e] : below.by_hinge) add(d.by_hinge, other, times(slope, e));
    }
    std::erase_if(d.direct, [&](const auto& e) { return g.is_constant(e.second, 0.0); });
    return std::move(d.direct);
  };
  std::vector<GradientRow> rows;
  for (const NodeId f : functions) rows.push_back(expand(derive(f)));
  return rows;
}

}  // namespace rattleback
