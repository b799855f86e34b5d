#include "model/symbolic_matrix.hpp"

#include <cmath>
#include <functional>
#include <numeric>

#include "expr/rounding.hpp"
#include "expr/traverse.hpp"
#include "model/scatter.hpp"

namespace rattleback::front {

namespace {

constexpr int kPoints = 4;  // that must have values for a judgement

}  // namespace

void settle_all(Graph& graph, const std::vector<NodeId>& nodes) {
  for (const NodeId id : reachable(graph, nodes))
    if (graph.is_made(id)) (void)graph.settle(id);
}

std::vector<char> vanishing(Graph& graph, const std::vector<NodeId>& nodes, std::int32_t n) {
  std::vector<char> out(nodes.size(), 1);
  RoundedValues values(graph, nodes);
  Scatter scatter;
  std::vector<int> seen(nodes.size(), 0);
  const std::vector<double> zeros(static_cast<std::size_t>(n), 0.0);
  std::vector<double> q = zeros;
  for (int k = 0; k < 2 * kPoints; ++k) {
    for (double& x : q) x = scatter();
    values.evaluate({.t = scatter(), .q = q, .v = zeros, .q_error = zeros, .v_error = zeros});
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Rounded x = values[i];
      if (!std::isfinite(x.value) || !std::isfinite(x.error)) continue;
      ++seen[i];
      if (std::fabs(x.value) > 4.0 * x.error) out[i] = 0;
    }
  }
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (seen[i] < kPoints) out[i] = graph.is_constant(nodes[i], 0.0) ? 1 : 0;
  std::vector<NodeId> zeros_by_value;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (out[i] != 0 && !graph.is_constant(nodes[i], 0.0)) zeros_by_value.push_back(nodes[i]);
  settle_all(graph, zeros_by_value);
  return out;
}

void tidy(Graph& graph, NodeMatrix& a, std::int32_t n) {
  std::vector<NodeId> flat;
  for (const auto& row : a) flat.insert(flat.end(), row.begin(), row.end());
  const std::vector<char> vanish = vanishing(graph, flat, n);
  std::size_t i = 0;
  for (auto& row : a)
    for (NodeId& e : row)
      if (vanish[i++] != 0) e = graph.zero();
}

std::vector<std::vector<std::size_t>> connected(std::size_t count,
                                                const std::vector<std::pair<std::size_t, std::size_t>>& pairs) {
  std::vector<std::size_t> root(count);
  std::iota(root.begin(), root.end(), std::size_t{0});
  const std::function<std::size_t(std::size_t)> find = [&](std::size_t i) {
    return root[i] == i ? i : root[i] = find(root[i]);
  };
  for (const auto& [a, b] : pairs) root[std::max(find(a), find(b))] = std::min(find(a), find(b));
  std::vector<std::vector<std::size_t>> out(count);
  for (std::size_t i = 0; i < count; ++i) out[find(i)].push_back(i);
  std::erase_if(out, [](const auto& group) { return group.empty(); });
  return out;
}

namespace {

NodeMatrix minor_of(const NodeMatrix& a, std::size_t row, std::size_t column) {
  NodeMatrix out = a;
  out.erase(out.begin() + static_cast<std::ptrdiff_t>(row));
  for (auto& r : out) r.erase(r.begin() + static_cast<std::ptrdiff_t>(column));
  return out;
}

// By the first row.
NodeId determinant(Graph& g, const NodeMatrix& a) {
  if (a.size() == 1) return a[0][0];
  NodeId sum = g.zero();
  for (std::size_t c = 0; c < a.size(); ++c) {
    if (g.is_constant(a[0][c], 0.0)) continue;
    const NodeId term = g.mul(a[0][c], determinant(g, minor_of(a, 0, c)));
    sum = c % 2 == 0 ? g.add(sum, term) : g.sub(sum, term);
  }
  return sum;
}

}  // namespace

std::optional<NodeMatrix> inverse_of(Graph& graph, const NodeMatrix& a, std::int32_t n) {
  const NodeId det = determinant(graph, a);
  if (vanishing(graph, {det}, n)[0] != 0) return std::nullopt;
  NodeMatrix out(a.size(), std::vector<NodeId>(a.size(), graph.one()));
  for (std::size_t r = 0; r < a.size() && a.size() > 1; ++r)
    for (std::size_t c = 0; c < a.size(); ++c) {
      const NodeId cofactor = determinant(graph, minor_of(a, r, c));
      out[c][r] = (r + c) % 2 == 0 ? cofactor : graph.neg(cofactor);
    }
  tidy(graph, out, n);
  for (auto& row : out)
    for (NodeId& e : row)
      if (!graph.is_constant(e, 0.0)) e = graph.div(e, det);
  return out;
}

}  // namespace rattleback::front
