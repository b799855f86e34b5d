// A model's formulas in long double, with derivatives of their own: values and tangents go forwards through the graph,
// gradients and their tangents backwards. Nothing here is shared with src/expr but the graph itself, so that numbers
// of the program can be compared with it.
#pragma once

#include <span>
#include <vector>

#include "rattleback/model.hpp"

namespace rattleback::testing {

using Real = long double;
using Reals = std::vector<Real>;

Reals widened(std::span<const double> x);

// Where: all variables of a model.
struct LongPoint {
  Real t = 0;
  Reals q, v, multipliers;
};

class LongGraph {
 public:
  // Nodes in loops are not supported: load the model with unroll_below = kLargestFamily.
  explicit LongGraph(const Graph& graph);

  [[nodiscard]] Real value(NodeId expr, const LongPoint& at);

  // f, df/d(t, q, v, multipliers), and with a direction d: df/d. d and the derivative of the gradient along d.
  struct Derivatives {
    Real value = 0, along = 0;
    LongPoint gradient, gradient_along;
  };
  [[nodiscard]] Derivatives derivatives(NodeId expr, const LongPoint& at, const LongPoint& direction);

 private:
  const std::vector<NodeId>& needed(NodeId expr);  // in the order of evaluation
  void forwards(const std::vector<NodeId>& nodes, const LongPoint& at, const LongPoint& direction);

  const Graph& graph_;
  struct Number {
    Real value = 0, along = 0, adjoint = 0, adjoint_along = 0;
  };
  std::vector<Number> numbers_;
  std::vector<std::vector<NodeId>> needed_;  // by node, once asked for
};

LongPoint zeros_like(const LongPoint& point);

}  // namespace rattleback::testing
