#include "expr/hinges.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <unordered_map>

#include "expr/traverse.hpp"

namespace rattleback {
namespace {

constexpr Space kHinge = 0xffe2;
// Below these, repeating the work costs less than a product for each function and variable.
constexpr std::size_t kFewestVariables = 4, kFewestFunctions = 4;

using Set = std::set<std::int32_t>;

// For each node, how many of the functions contain it.
std::unordered_map<NodeId, std::size_t> functions_above(const Graph& g, std::span<const NodeId> functions) {
  std::unordered_map<NodeId, std::size_t> count;
  for (const NodeId& f : functions)
    for (const NodeId id : reachable(g, std::span(&f, 1))) ++count[id];
  return count;
}

// Hinges in the order in which they depend on each other.
std::vector<NodeId> find_hinges(const Graph& g, std::span<const NodeId> functions, Space space) {
  const std::unordered_map<NodeId, std::size_t> above = functions_above(g, functions);
  const std::vector<NodeId> order = reachable(g, functions);
  std::unordered_map<NodeId, int> users;
  for (const NodeId id : order) for_each_argument(g[id], [&](NodeId k) { ++users[k]; });
  std::unordered_map<NodeId, Set> variables;  // of the space, and hinges as -1, -2, ...
  std::vector<NodeId> hinges;
  for (const NodeId id : order) {
    const Node& n = g[id];
    Set& mine = variables[id];
    if (n.op == Op::variable && n.space == space) mine.insert(n.base());
    for_each_argument(n, [&](NodeId k) { mine.insert(variables[k].begin(), variables[k].end()); });
    if (mine.size() < kFewestVariables || above.at(id) < kFewestFunctions || users[id] < 2) continue;
    hinges.push_back(id);
    mine = {-static_cast<std::int32_t>(hinges.size())};
  }
  return hinges;
}

}  // namespace

std::vector<GradientRow> jacobian_by_hinges(Graph& g, std::span<const NodeId> functions, Space space) {
  const std::vector<NodeId> hinges = find_hinges(g, functions, space);
  // With hinges as variables.
  const auto rewrite = [&](NodeId root, std::size_t below) {
    std::unordered_map<NodeId, NodeId> image;
    for (const NodeId id : reachable(g, std::span(&root, 1))) {
      const auto hinge = std::find(hinges.begin(), hinges.begin() + static_cast<std::ptrdiff_t>(below), id);
      image[id] = hinge != hinges.begin() + static_cast<std::ptrdiff_t>(below)
                      ? g.variable(kHinge, static_cast<std::int32_t>(hinge - hinges.begin()))
                  : is_leaf(g[id].op) ? id
                                      : rebuild(g, id, [&](NodeId k) { return image.at(k); });
    }
    return image.at(root);
  };
  const auto back = [&](NodeId e) {
    return substitute(g, e, [&](NodeId leaf) {
      const Node& n = g[leaf];
      return n.space == kHinge ? hinges[static_cast<std::size_t>(n.base())] : leaf;
    });
  };
  struct Derivatives {
    GradientRow direct;
    std::map<std::int32_t, NodeId> by_hinge;
  };
  const auto derive = [&](NodeId f, std::size_t below) {
    Derivatives out;
    const NodeId e = rewrite(f, below);
    for (const Entry& d : gradient(g, e, space)) out.direct[d.row.base] = back(d.expr);
    for (const Entry& d : gradient(g, e, kHinge)) out.by_hinge[d.row.base] = back(d.expr);
    return out;
  };
  std::vector<Derivatives> of_hinge;
  for (std::size_t k = 0; k < hinges.size(); ++k) of_hinge.push_back(derive(hinges[k], k));
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
  for (const NodeId f : functions) rows.push_back(expand(derive(f, hinges.size())));
  return rows;
}

}  // namespace rattleback
