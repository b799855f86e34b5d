// Values of a graph in any kind of number: long double where a second opinion with more digits is wanted, or a type that
// carries error bounds along. Nothing here is shared with the programs (program.hpp) but the meaning of the operations, so
// it is also a second way to every number. It walks the graph node by node: for checks and tests, not for steps.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "expr/traverse.hpp"
#include "rattleback/error.hpp"

namespace rattleback {

// The value of one operation. Functions are found by argument-dependent lookup for numbers of one's own.
template <class T>
T apply_exactly(Op op, const T& a, const T& b, const T& c) {
  using std::sin, std::cos, std::tan, std::asin, std::acos, std::atan, std::sinh, std::cosh, std::tanh, std::exp,
      std::log, std::sqrt, std::fabs, std::pow, std::atan2, std::hypot;
  const T zero = T(0);
  switch (op) {
    case Op::neg: return -a;
    case Op::sin: return sin(a);
    case Op::cos: return cos(a);
    case Op::tan: return tan(a);
    case Op::asin: return asin(a);
    case Op::acos: return acos(a);
    case Op::atan: return atan(a);
    case Op::sinh: return sinh(a);
    case Op::cosh: return cosh(a);
    case Op::tanh: return tanh(a);
    case Op::exp: return exp(a);
    case Op::log: return log(a);
    case Op::sqrt: return sqrt(a);
    case Op::abs: return fabs(a);
    case Op::sign: return T(static_cast<int>(zero < a) - static_cast<int>(a < zero));
    case Op::add: return a + b;
    case Op::sub: return a - b;
    case Op::mul: return a * b;
    case Op::div: return a / b;
    case Op::pow: return pow(a, b);
    case Op::atan2: return atan2(a, b);
    case Op::min: return b < a ? b : a;
    case Op::max: return a < b ? b : a;
    case Op::hypot: return hypot(a, b);
    case Op::less: return T(a < b ? 1 : 0);
    case Op::less_equal: return T(a <= b ? 1 : 0);
    case Op::select: return a != zero ? b : c;
    case Op::constant:
    case Op::variable:
    case Op::index:
    case Op::table:
    case Op::input:
    case Op::sum:
    case Op::lookup:
    case Op::lookup_slope: break;
  }
  throw Error("apply_exactly: not an arithmetic operation");
}

// look_up() of expr.hpp.
template <class T>
T look_up_exactly(std::span<const double> table, const T& x, bool slope) {
  const std::size_t n = table.size() / 2;
  if (!(x >= T(table[0])) || !(x < T(table[n - 1]))) {
    if (x != x) return x;  // NOLINT(misc-redundant-expression): no number
    return slope ? T(0) : T(table[n + (x < T(table[0]) ? 0 : n - 1)]);
  }
  std::size_t i = 0;
  while (x >= T(table[i + 1])) ++i;
  const T rise = (T(table[n + i + 1]) - T(table[n + i])) / (T(table[i + 1]) - T(table[i]));
  return slope ? rise : T(table[n + i]) + rise * (x - T(table[i]));
}

// All values at one point. They are computed when they are asked for, and kept.
template <class T>
class ExactValues {
 public:
  // `variable` gives element `i` of a space.
  ExactValues(const Graph& graph, std::function<T(Space, std::int32_t)> variable)
      : graph_(graph), variable_(std::move(variable)) {}

  // The value of a node; of its loop, for member i.
  const T& operator()(NodeId node, std::int32_t i = 0) {
    if (!values_.contains(node)) {
      for (const NodeId id : reachable(graph_, std::span(&node, 1)))
        if (!values_.contains(id)) values_.emplace(id, compute(graph_[id]));
    }
    const std::vector<T>& all = values_.at(node);
    return all[all.size() == 1 ? 0 : static_cast<std::size_t>(i)];
  }

  // A vector function.
  std::vector<T> vector(std::span<const Entry> entries, std::int32_t rows) { return matrix(entries, rows, 1); }

  // A matrix function, row by row.
  std::vector<T> matrix(std::span<const Entry> entries, std::int32_t rows, std::int32_t columns) {
    std::vector<T> out(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), T(0));
    for (const Entry& e : entries)
      for (std::int32_t i = 0; i < (e.count == 0 ? 1 : e.count); ++i) {
        const auto row = static_cast<std::size_t>(e.row.at(i)), column = static_cast<std::size_t>(e.col.at(i));
        T& place = out[row * static_cast<std::size_t>(columns) + column];
        place = place + (*this)(e.expr, i);
      }
    return out;
  }

 private:
  std::vector<T> compute(const Node& n) {
    if (n.op == Op::sum) {
      T total = T(0);
      for (const T& x : values_.at(n.a)) total = total + x;
      return {total};
    }
    std::vector<T> out;
    const std::int32_t members = n.count == 0 ? 1 : n.count;
    out.reserve(static_cast<std::size_t>(members));
    const auto argument = [&](NodeId k, std::int32_t i) -> const T& {
      const std::vector<T>& all = values_.at(k);
      return all[all.size() == 1 ? 0 : static_cast<std::size_t>(i)];
    };
    for (std::int32_t i = 0; i < members; ++i) {
      const std::int32_t at = n.base() + n.stride() * i;
      switch (n.op) {
        case Op::constant:
        case Op::input: out.push_back(T(n.value)); break;
        case Op::variable: out.push_back(variable_(n.space, at)); break;
        case Op::index: out.push_back(T(at)); break;
        case Op::table: out.push_back(T(graph_.table_values(n.c)[static_cast<std::size_t>(at)])); break;
        case Op::lookup:
        case Op::lookup_slope:
          out.push_back(look_up_exactly(graph_.table_values(n.c), argument(n.a, i), n.op == Op::lookup_slope));
          break;
        default: {
          const int k = arity(n.op);
          const T& a = argument(n.a, i);
          out.push_back(apply_exactly(n.op, a, k > 1 ? argument(n.b, i) : a, k > 2 ? argument(n.c, i) : a));
        }
      }
    }
    return out;
  }

  const Graph& graph_;
  std::function<T(Space, std::int32_t)> variable_;
  std::unordered_map<NodeId, std::vector<T>> values_;
};

// At a point (t, q, v, multipliers); what is not given is 0.
template <class T>
ExactValues<T> exact_values(const Graph& graph, T t, std::vector<T> q, std::vector<T> v = {},
                            std::vector<T> multipliers = {}) {
  return ExactValues<T>(graph,
                        [t, all = std::vector<std::vector<T>>{{}, std::move(q), std::move(v), std::move(multipliers)}](
                            Space space, std::int32_t i) {
                          if (space == kTime) return t;
                          const auto k = static_cast<std::size_t>(i);
                          return space < all.size() && k < all[space].size() ? all[space][k] : T(0);
                        });
}

}  // namespace rattleback
