#include <algorithm>
#include <numeric>

#include "linalg/sparse_solver.hpp"

namespace rattleback {
namespace {

struct Neighbours {
  std::vector<std::int32_t> first, list;
  [[nodiscard]] std::span<const std::int32_t> of(std::int32_t i) const {
    const auto k = static_cast<std::size_t>(i);
    return std::span(list).subspan(static_cast<std::size_t>(first[k]),
                                   static_cast<std::size_t>(first[k + 1] - first[k]));
  }
  [[nodiscard]] std::int32_t degree(std::int32_t i) const {
    return first[static_cast<std::size_t>(i) + 1] - first[static_cast<std::size_t>(i)];
  }
};

Neighbours neighbours(std::int32_t n, std::span<const SparseSolver::Place> pattern) {
  std::vector<SparseSolver::Place> edges;
  for (const auto& [i, j] : pattern) {
    if (i == j) continue;
    edges.emplace_back(i, j);
    edges.emplace_back(j, i);
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  Neighbours out;
  out.first.assign(static_cast<std::size_t>(n) + 1, 0);
  for (const auto& [i, j] : edges) {
    ++out.first[static_cast<std::size_t>(i) + 1];
    out.list.push_back(j);
  }
  std::partial_sum(out.first.begin(), out.first.end(), out.first.begin());
  return out;
}

// Breadth first from `root`, each layer's members by degree; `level` is -1 where nobody has been. Appends to `order` and
// returns the number of layers.
std::int32_t sweep(const Neighbours& graph, std::int32_t root, std::vector<std::int32_t>& level,
                   std::vector<std::int32_t>& order) {
  const std::size_t begin = order.size();
  order.push_back(root);
  level[static_cast<std::size_t>(root)] = 0;
  std::vector<std::int32_t> next;
  for (std::size_t k = begin; k < order.size(); ++k) {
    next.clear();
    for (const std::int32_t j : graph.of(order[k])) {
      if (level[static_cast<std::size_t>(j)] >= 0) continue;
      level[static_cast<std::size_t>(j)] = level[static_cast<std::size_t>(order[k])] + 1;
      next.push_back(j);
    }
    std::sort(next.begin(), next.end(), [&](std::int32_t x, std::int32_t y) {
      return std::pair(graph.degree(x), x) < std::pair(graph.degree(y), y);
    });
    order.insert(order.end(), next.begin(), next.end());
  }
  return level[static_cast<std::size_t>(order.back())] + 1;
}

}  // namespace

std::vector<std::int32_t> local_order(std::int32_t n, std::span<const SparseSolver::Place> pattern) {
  const Neighbours graph = neighbours(n, pattern);
  std::vector<std::int32_t> level(static_cast<std::size_t>(n), -1), order;
  for (std::int32_t i = 0; i < n; ++i) {
    if (level[static_cast<std::size_t>(i)] >= 0) continue;
    // An end of the structure: walk to the far side until that gets no further.
    const std::size_t begin = order.size();
    std::int32_t root = i, layers = 0;
    for (int tries = 0; tries < 8; ++tries) {
      const std::int32_t found = sweep(graph, root, level, order);
      const bool further = found > layers;
      layers = std::max(layers, found);
      std::int32_t end = order.back();  // of least degree in the last layer
      for (std::size_t k = begin; k < order.size(); ++k)
        if (level[static_cast<std::size_t>(order[k])] == found - 1 && graph.degree(order[k]) < graph.degree(end))
          end = order[k];
      if (!further) break;
      for (std::size_t k = begin; k < order.size(); ++k) level[static_cast<std::size_t>(order[k])] = -1;
      order.resize(begin);
      root = end;
    }
    if (order.size() == begin) sweep(graph, root, level, order);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace rattleback
