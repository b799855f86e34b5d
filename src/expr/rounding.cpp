#include "expr/rounding.hpp"

#include <algorithm>

#include "expr/spaces.hpp"
#include "expr/traverse.hpp"

namespace rattleback {
namespace {

// Near 0 the slope may be infinite.
double power_error(Rounded a, Rounded b, double r) {
  const double size = std::fabs(a.value);
  double error = 0.0;
  if (a.error > 0.0)
    error = size > a.error ? std::fabs(b.value * r) * a.error / size : std::pow(size + a.error, b.value);
  // a whole exponent is meant exactly
  if (b.error > 0.0 && size > 0.0 && b.value != std::floor(b.value)) error += std::fabs(r * std::log(size)) * b.error;
  return error;
}

double passed_on(Op op, Rounded a, Rounded b, Rounded c, double r) {
  const auto size = [](double x) { return std::fabs(x); };
  switch (op) {
    case Op::neg:
    case Op::abs: return a.error;
    case Op::sin: return size(std::cos(a.value)) * a.error + 0.5 * a.error * a.error;
    case Op::cos: return size(std::sin(a.value)) * a.error + 0.5 * a.error * a.error;
    case Op::tan: return (1.0 + r * r) * a.error;
    case Op::asin:
    case Op::acos: return a.error / std::sqrt(std::fmax(1.0 - a.value * a.value, 0.5 * std::fmax(a.error, 1e-300)));
    case Op::atan: return a.error / (1.0 + a.value * a.value);
    case Op::sinh: return std::cosh(a.value) * a.error;
    case Op::cosh: return size(std::sinh(a.value)) * a.error;
    case Op::tanh: return size(1.0 - r * r) * a.error;
    case Op::exp: return r * a.error;
    case Op::log: return a.error / size(a.value);
    case Op::sqrt:
      return a.error < a.value ? a.error / (r + std::sqrt(a.value - a.error)) : std::sqrt(std::fabs(a.value) + a.error);
    case Op::add:
    case Op::sub: return a.error + b.error;
    case Op::mul: return size(a.value) * b.error + size(b.value) * a.error + a.error * b.error;
    case Op::div: return (a.error + size(r) * b.error) / size(b.value);
    case Op::pow: return power_error(a, b, r);
    case Op::atan2: {
      const double square = a.value * a.value + b.value * b.value;
      return square > 0.0 ? (size(a.value) * b.error + size(b.value) * a.error) / square : 0.0;
    }
    case Op::min:
    case Op::max: return std::fmax(a.error, b.error);
    case Op::hypot:
      return r > 0.0 ? (size(a.value) * a.error + size(b.value) * b.error) / r : std::hypot(a.error, b.error);
    case Op::select: return a.value != 0.0 ? b.error : c.error;
    case Op::constant:
    case Op::variable:
    case Op::index:
    case Op::table:
    case Op::input:
    case Op::sign:
    case Op::less:
    case Op::less_equal:
    case Op::sum:
    case Op::lookup:
    case Op::lookup_slope: return 0.0;
  }
  return 0.0;
}

double raised(double x, double error, double floor) { return x == std::floor(x) ? error : std::fmax(error, floor); }

}  // namespace

Rounded apply(Op op, Rounded a, Rounded b, Rounded c) {
  const double r = apply(op, a.value, b.value, c.value);
  const bool exact =
      op == Op::neg || op == Op::abs || op == Op::sign || op >= Op::less || op == Op::min || op == Op::max;
  return {r, passed_on(op, a, b, c, r) + (exact ? 0.0 : kUlp * std::fabs(r))};
}

RoundedValues::RoundedValues(const Graph& graph, std::span<const NodeId> functions) : graph_(graph) {
  const std::vector<NodeId> nodes = reachable(graph, functions);
  const auto place = [&](NodeId id) {
    return static_cast<std::uint32_t>(std::lower_bound(nodes.begin(), nodes.end(), id) - nodes.begin());
  };
  steps_.reserve(nodes.size());
  for (const NodeId id : nodes) {
    const Node& n = graph[id];
    Step step{.node = id};
    const int count = arity(n.op);
    if (count > 0) step.a = place(n.a);
    if (count > 1) step.b = place(n.b);
    if (count > 2) step.c = place(n.c);
    steps_.push_back(std::move(step));
    if (n.op == Op::sum) steps_.back().inside = varying(std::span(&steps_.back().a, 1));
  }
  for (const NodeId id : functions) roots_.push_back(place(id));
  looped_ = varying(roots_);
  values_.resize(steps_.size());
}

std::vector<std::uint32_t> RoundedValues::varying(std::span<const std::uint32_t> bodies) const {
  std::vector<bool> seen(steps_.size(), false);
  std::vector<std::uint32_t> stack(bodies.begin(), bodies.end()), out;
  while (!stack.empty()) {
    const std::uint32_t at = stack.back();
    stack.pop_back();
    const Node& n = graph_[steps_[at].node];
    if (seen[at] || n.count == 0) continue;
    seen[at] = true;
    out.push_back(at);
    const int count = arity(n.op);
    if (count > 0) stack.push_back(steps_[at].a);
    if (count > 1) stack.push_back(steps_[at].b);
    if (count > 2) stack.push_back(steps_[at].c);
  }
  std::sort(out.begin(), out.end());
  return out;
}

Rounded RoundedValues::compute(const Step& step, std::int32_t k, const Point& point) const {
  const Node& n = graph_[step.node];
  const std::int64_t place = n.base() + std::int64_t{n.stride()} * k;
  const auto at = static_cast<std::size_t>(place);
  switch (n.op) {
    case Op::constant: return {n.value, graph_.constant_error(step.node)};
    case Op::input: return {n.value, 0.0};
    case Op::index: return {static_cast<double>(n.base() + n.stride() * k), 0.0};
    case Op::table: {
      const double x = graph_.table_values(n.c)[at];
      return {x, kUlp * std::fabs(x)};
    }
    case Op::variable:
      if (n.space == kTime) return Rounded::typed(point.t);
      if (n.space == kPosition) return {point.q[at], raised(point.q[at], point.q_error[at], point.q_floor)};
      if (n.space == kVelocity) return {point.v[at], raised(point.v[at], point.v_error[at], point.v_floor)};
      if (n.space == kAcceleration)
        return {at < point.accelerations.size() ? point.accelerations[at] : 0.0, point.acceleration_error};
      return {at < point.multipliers.size() ? point.multipliers[at] : 0.0, point.multiplier_error};
    case Op::lookup:
    case Op::lookup_slope: {
      const Rounded x = values_[step.a];
      const auto table = graph_.table_values(n.c);
      const double r = look_up(table, x.value, n.op == Op::lookup_slope);
      const double slope = n.op == Op::lookup ? std::fabs(look_up(table, x.value, true)) : 0.0;
      return {r, slope * x.error + 2.0 * kUlp * std::fabs(r)};
    }
    default: break;
  }
  const int count = arity(n.op);
  return apply(n.op, values_[step.a], count > 1 ? values_[step.b] : Rounded{}, count > 2 ? values_[step.c] : Rounded{});
}

void RoundedValues::evaluate(const Point& point) {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    const Node& n = graph_[step.node];
    if (n.count != 0) continue;
    if (n.op != Op::sum) {
      values_[i] = compute(step, 0, point);
      continue;
    }
    Rounded total;
    for (std::int32_t k = 0; k < static_cast<std::int32_t>(n.b); ++k) {
      for (const std::uint32_t j : step.inside) values_[j] = compute(steps_[j], k, point);
      total = apply(Op::add, total, values_[step.a]);
    }
    values_[i] = total;
  }
}

void RoundedValues::iterate(const Point& point, std::int32_t k) {
  for (const std::uint32_t j : looped_) values_[j] = compute(steps_[j], k, point);
}

}  // namespace rattleback
