// Values of graph nodes at one point, for the checks at load time. (Runs use the interpreter or native code.)
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "rattleback/expr.hpp"

namespace rattleback::front {

struct Point {
  double t = 0.0;
  std::span<const double> q, v, z;
};

class PointValues {
 public:
  // Evaluates everything below the roots that is not inside a loop.
  PointValues(const Graph& graph, std::span<const NodeId> roots, const Point& point);
  [[nodiscard]] double operator[](NodeId id) const { return values_[id]; }

  double in_loop(NodeId body, std::int32_t k);
  // Calls report(k, which, value) for the first k = 0..count-1 for which one of the loop bodies is not finite; returns
  // false when all are finite.
  bool find_not_finite(std::span<const NodeId> bodies, std::int32_t count,
                       const std::function<void(std::int32_t k, std::size_t which, double value)>& report);

 private:
  double leaf(const Node& n, std::int32_t k) const;
  double compute(const Node& n, std::int32_t k, const std::vector<double>& loop_values) const;
  // Loop nodes below the bodies, ascending; their values are kept in loop_values_ by node number.
  [[nodiscard]] std::vector<NodeId> loop_nodes(std::span<const NodeId> bodies) const;

  const Graph& graph_;
  Point point_;
  std::vector<double> values_;  // by node; inside a loop: of the iteration at hand
};

// Value of a loop body in iteration k (any k for what does not vary).
double loop_value(const Graph& graph, NodeId body, std::int32_t k, const Point& point);

// First entry that is not finite at the point, or nothing.
struct NotFinite {
  std::size_t entry = 0;
  std::int32_t k = 0;  // iteration of its loop
  double value = 0.0;
};
std::optional<NotFinite> first_not_finite(const Graph& graph, std::span<const Entry> entries, const Point& point);

}  // namespace rattleback::front
