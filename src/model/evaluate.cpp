#include "model/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "expr/traverse.hpp"

namespace rattleback::front {

PointValues::PointValues(const Graph& graph, std::span<const NodeId> roots, const Point& point)
    : graph_(graph), point_(point), values_(graph.size(), 0.0) {
  for (const NodeId id : reachable(graph, roots)) {
    const Node& n = graph[id];
    if (n.count != 0) continue;
    if (n.op != Op::sum) {
      values_[id] = compute(n, 0, values_);
      continue;
    }
    const auto inside = loop_nodes(std::span(&n.a, 1));
    double total = 0.0;
    for (std::int32_t k = 0; k < static_cast<std::int32_t>(n.b); ++k) {
      for (const NodeId j : inside) values_[j] = compute(graph[j], k, values_);
      total += values_[n.a];
    }
    values_[id] = total;
  }
}

double PointValues::leaf(const Node& n, std::int32_t k) const {
  const std::int32_t at = n.base() + n.stride() * k;
  const auto element = static_cast<std::size_t>(at);
  switch (n.op) {
    case Op::constant:
    case Op::input: return n.value;
    case Op::index: return at;
    case Op::table: return graph_.table_values(n.c)[element];
    default: break;
  }
  switch (n.space) {
    case kTime: return point_.t;
    case kPosition: return point_.q[element];
    case kVelocity: return point_.v[element];
    default: return element < point_.z.size() ? point_.z[element] : 0.0;
  }
}

double PointValues::compute(const Node& n, std::int32_t k, const std::vector<double>& values) const {
  switch (arity(n.op)) {
    case 0: return leaf(n, k);
    case 1:
      if (is_lookup(n.op)) return look_up(graph_.table_values(n.c), values[n.a], n.op == Op::lookup_slope);
      return apply(n.op, values[n.a]);
    case 2: return apply(n.op, values[n.a], values[n.b]);
    default: return apply(n.op, values[n.a], values[n.b], values[n.c]);
  }
}

std::vector<NodeId> PointValues::loop_nodes(std::span<const NodeId> bodies) const {
  std::vector<NodeId> found, stack;
  const auto visit = [&](NodeId id) {
    if (graph_[id].count != 0) stack.push_back(id);
  };
  std::vector<bool> seen;
  for (const NodeId body : bodies) visit(body);
  if (!stack.empty()) seen.resize(*std::max_element(stack.begin(), stack.end()) + 1U);
  while (!stack.empty()) {
    const NodeId id = stack.back();
    stack.pop_back();
    if (seen[id]) continue;
    seen[id] = true;
    found.push_back(id);
    for_each_argument(graph_[id], visit);
  }
  std::sort(found.begin(), found.end());
  return found;
}

double PointValues::in_loop(NodeId body, std::int32_t k) {
  for (const NodeId j : loop_nodes(std::span(&body, 1))) values_[j] = compute(graph_[j], k, values_);
  return values_[body];
}

double loop_value(const Graph& graph, NodeId body, std::int32_t k, const Point& point) {
  return PointValues(graph, std::span(&body, 1), point).in_loop(body, k);
}

bool PointValues::find_not_finite(std::span<const NodeId> bodies, std::int32_t count,
                                  const std::function<void(std::int32_t, std::size_t, double)>& report) {
  const auto inside = loop_nodes(bodies);
  for (std::int32_t k = 0; k < count; ++k) {
    for (const NodeId j : inside) values_[j] = compute(graph_[j], k, values_);
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      if (std::isfinite(values_[bodies[b]])) continue;
      report(k, b, values_[bodies[b]]);
      return true;
    }
  }
  return false;
}

std::optional<NotFinite> first_not_finite(const Graph& graph, std::span<const Entry> entries, const Point& point) {
  std::vector<NodeId> roots;
  roots.reserve(entries.size());
  for (const Entry& e : entries) roots.push_back(e.expr);
  PointValues values(graph, roots, point);
  std::map<std::int32_t, std::vector<std::size_t>> loops;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::int32_t count = graph[entries[i].expr].count;
    if (count != 0)
      loops[count].push_back(i);
    else if (!std::isfinite(values[entries[i].expr]))
      return NotFinite{i, 0, values[entries[i].expr]};
  }
  std::optional<NotFinite> found;
  for (const auto& loop : loops) {
    const std::int32_t count = loop.first;
    const std::vector<std::size_t>& members = loop.second;
    std::vector<NodeId> bodies;
    bodies.reserve(members.size());
    for (const std::size_t i : members) bodies.push_back(entries[i].expr);
    const auto report = [&](std::int32_t k, std::size_t which, double value) {
      found = NotFinite{members[which], k, value};
    };
    if (values.find_not_finite(bodies, count, report)) return found;
  }
  return found;
}

}  // namespace rattleback::front
