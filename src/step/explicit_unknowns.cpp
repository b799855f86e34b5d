#include "step/explicit_unknowns.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "expr/per_thread.hpp"
#include "expr/traverse.hpp"

namespace rattleback {
namespace {

struct Seen : NodeMap<char> {};

bool is_unknown(const Node& n) { return n.op == Op::variable && n.space == kUnknown; }

// Sums, and products and quotients with numbers: what a coefficient passes unchanged.
bool is_linear(const Graph& g, const Node& n) {
  switch (n.op) {
    case Op::add:
    case Op::sub:
    case Op::neg: return true;
    case Op::mul: return g.is_constant(n.a);
    case Op::div: return g.is_constant(n.b);
    default: return false;
  }
}

// The coefficient of u in a formula, a constant; nothing where u also occurs in another way than times a number.
std::optional<NodeId> coefficient(Graph& g, NodeId root, std::int32_t u, Occurrences& occurrences) {
  NodeId sum = g.zero();
  std::vector<std::pair<NodeId, NodeId>> open = {{root, g.one()}};
  std::size_t visits = 0;
  constexpr std::size_t kPatience = 100'000;  // sums that share sums
  while (!open.empty()) {
    const auto [id, factor] = open.back();
    open.pop_back();
    if (++visits > kPatience) return std::nullopt;
    const Node n = g[id];
    if (is_unknown(n)) {
      if (n.base() == u) sum = g.add(sum, factor);
      continue;
    }
    if (is_leaf(n.op)) continue;
    if (!is_linear(g, n)) {
      const std::vector<std::int32_t> inside = occurrences(id);
      if (std::binary_search(inside.begin(), inside.end(), u)) return std::nullopt;
      continue;
    }
    switch (n.op) {
      case Op::neg: open.emplace_back(n.a, g.neg(factor)); break;
      case Op::mul: open.emplace_back(n.b, g.mul(factor, n.a)); break;
      case Op::div: open.emplace_back(n.a, g.div(factor, n.b)); break;
      default: open.emplace_back(n.a, factor); open.emplace_back(n.b, n.op == Op::sub ? g.neg(factor) : factor);
    }
  }
  return sum;
}

// The formula at u = 0, which occurs times numbers only.
// Not by recursion: a chain of definitions may be long. Arguments are taken from the last to the first.
NodeId without(Graph& g, NodeId root, std::int32_t u, std::map<NodeId, NodeId>& image) {
  std::vector<NodeId> open = {root};
  while (!open.empty()) {
    const NodeId id = open.back();
    const Node n = g[id];
    NodeId out = id;
    if (image.contains(id)) {
      open.pop_back();
      continue;
    }
    if (is_unknown(n)) {
      out = n.base() == u ? g.zero() : id;
    } else if (!is_leaf(n.op) && is_linear(g, n)) {
      const std::size_t before = open.size();
      for_each_argument(n, [&](NodeId k) {
        if (!image.contains(k)) open.push_back(k);
      });
      if (open.size() > before) continue;
      out = rebuild(g, id, [&](NodeId k) { return image.at(k); });
    }
    image.emplace(id, out);
    open.pop_back();
  }
  return image.at(root);
}

}  // namespace

void Occurrences::look() {
  for (auto id = static_cast<NodeId>(contains_.size()); id < g_.size(); ++id) {
    const Node& n = g_[id];
    char has = is_unknown(n) ? 1 : 0;
    for_each_argument(n, [&](NodeId k) { has = static_cast<char>(has | contains_[k]); });
    contains_.push_back(has);
  }
}

bool Occurrences::any(NodeId expr) {
  look();
  return contains_[expr] != 0;
}

std::vector<std::int32_t> Occurrences::operator()(NodeId expr) {
  look();
  NodeMap<char>& seen = per_thread<Seen>();
  seen.clear(g_.size());
  std::vector<std::int32_t> out;
  std::vector<NodeId> open;
  const auto visit = [&](NodeId id) {
    if (contains_[id] == 0 || seen.has(id)) return;
    seen.set(id, 1);
    open.push_back(id);
  };
  visit(expr);
  while (!open.empty()) {
    const Node& n = g_[open.back()];
    open.pop_back();
    if (is_unknown(n)) out.push_back(n.base());
    for_each_argument(n, visit);
  }
  std::sort(out.begin(), out.end());
  return out;
}

void eliminate_explicit(Equations& eq, std::vector<char>& alive) {
  Graph& g = eq.graph;
  const auto count = static_cast<std::int32_t>(eq.residuals.size());
  Occurrences occurrences(g);
  struct Definition {
    NodeId rest = 0;
    NodeId c = 0;
    std::vector<std::int32_t> direct;  // other unknowns in it
    std::set<std::int32_t> open;       // those that are left when explicit ones are put in
  };
  std::map<std::int32_t, Definition> found;
  for (std::int32_t u = 0; u < count; ++u) {
    const NodeId residual = eq.residuals[static_cast<std::size_t>(u)];
    const std::optional<NodeId> c = coefficient(g, residual, u, occurrences);
    if (!c || !(std::fabs(g[*c].value) > 0.0) || !std::isfinite(g[*c].value)) continue;
    std::map<NodeId, NodeId> image;
    Definition d{.rest = without(g, residual, u, image), .c = *c, .direct = {}, .open = {}};
    d.direct = occurrences(d.rest);
    for (const std::int32_t k : d.direct)
      if (const auto other = found.find(k); other != found.end())
        d.open.insert(other->second.open.begin(), other->second.open.end());
      else
        d.open.insert(k);
    if (d.open.contains(u)) continue;  // not explicit once the others are put in
    for (auto& [k, other] : found)
      if (other.open.erase(u) > 0) other.open.insert(d.open.begin(), d.open.end());
    found.emplace(u, std::move(d));
  }
  if (found.empty()) return;
  Substitution put_in(g);
  std::vector<std::int32_t> open;
  for (const auto& [first, definition] : found) {
    open.push_back(first);
    while (!open.empty()) {  // what it contains comes before it
      const std::int32_t u = open.back();
      const Definition& d = found.at(u);
      const std::size_t before = open.size();
      if (!put_in.has(u))
        for (const std::int32_t k : d.direct)
          if (found.contains(k) && !put_in.has(k)) open.push_back(k);
      if (open.size() > before) continue;
      open.pop_back();
      if (!put_in.has(u)) put_in.set(u, g.neg(g.div(put_in(d.rest), d.c)));
    }
  }
  for (const auto& each : found) alive[static_cast<std::size_t>(each.first)] = 0;
  for (std::int32_t u = 0; u < count; ++u)
    if (NodeId& residual = eq.residuals[static_cast<std::size_t>(u)]; alive[static_cast<std::size_t>(u)] != 0)
      residual = put_in(residual);
  put_in(eq.results);
  put_in(eq.extra);
  put_in(eq.power);
}

}  // namespace rattleback
