// Exact difference quotients. The slope s of an expression f between two points a and b is given by
//
//   f(b) - f(a) = s * width
//
// when every variable of f has a slope with the same width. It is built operation by operation, like a derivative, from
// identities such as sin b - sin a = 2 cos((a+b)/2) sin((b-a)/2), and not as a difference of two values: no digits cancel
// when b is near a, and b = a gives the derivative. Exchanging a and b changes no slope. This is what discrete gradients are
// made of.
#pragma once

#include <functional>

#include "rattleback/expr.hpp"

namespace rattleback {

struct Span {
  NodeId from = 0, to = 0, slope = 0;
};

// `leaf` gives values and slope of a variable. width: the node of b - a; the constant 1 makes the slope the difference
// f(b) - f(a) itself. Throws NeedsUnrolling for expressions with loops.
Span slope(Graph& graph, NodeId expr, NodeId width, const std::function<Span(NodeId)>& leaf);

}  // namespace rattleback
