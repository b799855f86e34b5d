#include "support/long_graph.hpp"

#include <cmath>
#include <stdexcept>

namespace rattleback::testing {
namespace {

// f(a, b) with its first and second partial derivatives.
struct Partials {
  Real f = 0, a = 0, b = 0, aa = 0, ab = 0, bb = 0;
};

Partials unary_partials(Op op, Real x) {
  switch (op) {
    case Op::neg: return {-x, -1};
    case Op::sin: return {std::sin(x), std::cos(x), 0, -std::sin(x)};
    case Op::cos: return {std::cos(x), -std::sin(x), 0, -std::cos(x)};
    case Op::tan: {
      const Real f = std::tan(x), d = 1 + f * f;
      return {f, d, 0, 2 * f * d};
    }
    case Op::asin: {
      const Real w = 1 - x * x;
      return {std::asin(x), 1 / std::sqrt(w), 0, x / (w * std::sqrt(w))};
    }
    case Op::acos: {
      const Real w = 1 - x * x;
      return {std::acos(x), -1 / std::sqrt(w), 0, -x / (w * std::sqrt(w))};
    }
    case Op::atan: {
      const Real w = 1 + x * x;
      return {std::atan(x), 1 / w, 0, -2 * x / (w * w)};
    }
    case Op::sinh: return {std::sinh(x), std::cosh(x), 0, std::sinh(x)};
    case Op::cosh: return {std::cosh(x), std::sinh(x), 0, std::cosh(x)};
    case Op::tanh: {
      const Real f = std::tanh(x), d = 1 - f * f;
      return {f, d, 0, -2 * f * d};
    }
    case Op::exp: return {std::exp(x), std::exp(x), 0, std::exp(x)};
    case Op::log: return {std::log(x), 1 / x, 0, -1 / (x * x)};
    case Op::sqrt: {
      const Real f = std::sqrt(x);
      return {f, 1 / (2 * f), 0, -1 / (4 * x * f)};
    }
    case Op::abs: return {std::fabs(x), x < 0 ? Real(-1) : Real(1)};
    case Op::sign: return {Real((x > 0) - (x < 0))};
    default: throw std::logic_error("LongGraph: an operation without a rule");
  }
}

Partials binary_partials(Op op, Real a, Real b, bool constant_b) {
  switch (op) {
    case Op::add: return {a + b, 1, 1};
    case Op::sub: return {a - b, 1, -1};
    case Op::mul: return {a * b, b, a, 0, 1, 0};
    case Op::div: return {a / b, 1 / b, -a / (b * b), 0, -1 / (b * b), 2 * a / (b * b * b)};
    case Op::pow: {
      const Real f = std::pow(a, b);
      if (b == 0) return {1};
      const Real d = b * std::pow(a, b - 1), dd = b == 1 ? Real(0) : b * (b - 1) * std::pow(a, b - 2);
      if (constant_b) return {f, d, 0, dd};
      const Real l = std::log(a);
      return {f, d, f * l, dd, std::pow(a, b - 1) * (1 + b * l), f * l * l};
    }
    case Op::atan2: {  // of y = a, x = b
      const Real r = a * a + b * b;
      return {std::atan2(a, b), b / r, -a / r, -2 * a * b / (r * r), (a * a - b * b) / (r * r), 2 * a * b / (r * r)};
    }
    case Op::min: return a <= b ? Partials{a, 1, 0} : Partials{b, 0, 1};
    case Op::max: return a >= b ? Partials{a, 1, 0} : Partials{b, 0, 1};
    case Op::hypot: {
      const Real f = std::hypot(a, b), f3 = f * f * f;
      return {f, a / f, b / f, b * b / f3, -a * b / f3, a * a / f3};
    }
    case Op::less: return {Real(a < b)};
    case Op::less_equal: return {Real(a <= b)};
    default: throw std::logic_error("LongGraph: an operation without a rule");
  }
}

template <class Point>
auto& component(Point& point, const Node& node) {
  const auto i = static_cast<std::size_t>(node.base());
  switch (node.space) {
    case kTime: return point.t;
    case kPosition: return point.q.at(i);
    case kVelocity: return point.v.at(i);
    case kMultiplier: return point.multipliers.at(i);
    default: throw std::logic_error("LongGraph: an unknown space");
  }
}

}  // namespace

Reals widened(std::span<const double> x) { return {x.begin(), x.end()}; }

LongPoint zeros_like(const LongPoint& point) {
  return {0, Reals(point.q.size()), Reals(point.v.size()), Reals(point.multipliers.size())};
}

LongGraph::LongGraph(const Graph& graph) : graph_(graph), numbers_(graph.size()), needed_(graph.size()) {}

const std::vector<NodeId>& LongGraph::needed(NodeId expr) {
  std::vector<NodeId>& out = needed_.at(expr);
  if (!out.empty()) return out;
  std::vector<bool> marked(expr + 1, false);  // arguments come before their operation
  marked[expr] = true;
  for (NodeId id = expr + 1; id-- > 0;) {
    if (!marked[id]) continue;
    const Node& node = graph_[id];
    if (node.count != 0 || node.op == Op::sum) throw std::logic_error("LongGraph: the model has loops");
    const int arguments = is_leaf(node.op) ? 0 : arity(node.op);
    if (arguments > 0) marked.at(node.a) = true;
    if (arguments > 1) marked.at(node.b) = true;
    if (arguments > 2) marked.at(node.c) = true;
  }
  for (NodeId id = 0; id <= expr; ++id)
    if (marked[id]) out.push_back(id);
  return out;
}

void LongGraph::forwards(const std::vector<NodeId>& nodes, const LongPoint& at, const LongPoint& direction) {
  for (const NodeId id : nodes) {
    const Node& node = graph_[id];
    Number& x = numbers_[id];
    x.adjoint = x.adjoint_along = 0;
    if (node.op == Op::constant || node.op == Op::input) {
      x.value = node.value;
      x.along = 0;
    } else if (node.op == Op::variable) {
      x.value = component(at, node);
      x.along = component(direction, node);
    } else if (node.op == Op::index || node.op == Op::table) {
      const auto base = static_cast<std::size_t>(node.base());
      x.value = node.op == Op::index ? Real(node.base()) : Real(graph_.table_values(node.c)[base]);
      x.along = 0;
    } else if (node.op == Op::select) {
      const Number& taken = numbers_[numbers_[node.a].value != 0 ? node.b : node.c];
      x.value = taken.value;
      x.along = taken.along;
    } else if (arity(node.op) == 1) {
      const Partials p = unary_partials(node.op, numbers_[node.a].value);
      x.value = p.f;
      x.along = numbers_[node.a].along == 0 ? 0 : p.a * numbers_[node.a].along;
    } else {
      const Number &a = numbers_[node.a], &b = numbers_[node.b];
      const Partials p = binary_partials(node.op, a.value, b.value, graph_.is_constant(node.b));
      x.value = p.f;
      x.along = (a.along == 0 ? 0 : p.a * a.along) + (b.along == 0 ? 0 : p.b * b.along);
    }
  }
}

Real LongGraph::value(NodeId expr, const LongPoint& at) {
  forwards(needed(expr), at, zeros_like(at));
  return numbers_[expr].value;
}

LongGraph::Derivatives LongGraph::derivatives(NodeId expr, const LongPoint& at, const LongPoint& direction) {
  const std::vector<NodeId>& nodes = needed(expr);
  forwards(nodes, at, direction);
  Derivatives out{numbers_[expr].value, numbers_[expr].along, zeros_like(at), zeros_like(at)};
  numbers_[expr].adjoint = 1;
  for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) {
    const Node& node = graph_[*it];
    const Number x = numbers_[*it];
    if (x.adjoint == 0 && x.adjoint_along == 0) continue;  // branches that are not taken may be nan
    if (node.op == Op::variable) {
      component(out.gradient, node) += x.adjoint;
      component(out.gradient_along, node) += x.adjoint_along;
    } else if (node.op == Op::select) {
      Number& taken = numbers_[numbers_[node.a].value != 0 ? node.b : node.c];
      taken.adjoint += x.adjoint;
      taken.adjoint_along += x.adjoint_along;
    } else if (!is_leaf(node.op) && arity(node.op) == 1) {
      Number& a = numbers_[node.a];
      const Partials p = unary_partials(node.op, a.value);
      a.adjoint += x.adjoint * p.a;
      a.adjoint_along += x.adjoint_along * p.a + (a.along == 0 ? 0 : x.adjoint * p.aa * a.along);
    } else if (!is_leaf(node.op)) {
      const Number a = numbers_[node.a], b = numbers_[node.b];
      const Partials p = binary_partials(node.op, a.value, b.value, graph_.is_constant(node.b));
      numbers_[node.a].adjoint += x.adjoint * p.a;
      numbers_[node.a].adjoint_along += x.adjoint_along * p.a + x.adjoint * (p.aa * a.along + p.ab * b.along);
      numbers_[node.b].adjoint += x.adjoint * p.b;
      numbers_[node.b].adjoint_along += x.adjoint_along * p.b + x.adjoint * (p.ab * a.along + p.bb * b.along);
    }
  }
  return out;
}

}  // namespace rattleback::testing
