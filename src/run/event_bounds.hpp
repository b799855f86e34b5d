// How far from its value the expression of an event may be, by rounding alone: a running error bound of its formula
// (expr/rounding.hpp), at a state that has the rounding of all steps up to there. Errors of the method are none of this.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "expr/rounding.hpp"

namespace rattleback {

class EventBounds {
 public:
  // Of nodes of the graph.
  EventBounds(const Graph& graph, std::vector<NodeId> nodes);
  EventBounds(const EventBounds&) = delete;  // its parts know one another
  EventBounds& operator=(const EventBounds&) = delete;

  // The state at the end of a step of size h.
  void see(double h, std::span<const double> q, std::span<const double> v);
  // At a state, with what belongs to it; what the expressions do not need may be empty.
  [[nodiscard]] double operator()(std::size_t which, double t, std::span<const double> q, std::span<const double> v,
                                  std::span<const double> multipliers, std::span<const double> accelerations);

  static constexpr std::size_t kSaved = 4;
  void save(std::vector<double>& to) const;
  void load(std::span<const double> from);

 private:
  Graph graph_;
  std::vector<NodeId> nodes_;
  RoundedValues values_;
  double steps_ = 0.0, q_size_ = 0.0, v_size_ = 0.0, way_ = 0.0;  // way: that a position makes in a step, at most
  std::vector<double> q_error_, v_error_;
};

}  // namespace rattleback
