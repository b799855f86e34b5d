#include "expr/slope.hpp"

#include <cmath>
#include <unordered_map>

#include "expr/spaces.hpp"
#include "expr/traverse.hpp"

namespace rattleback {
namespace {

class Slopes {
 public:
  Slopes(Graph& graph, NodeId width) : g(graph), width_(width), whole_(graph.is_constant(width, 1.0)) {}

  Span of(const Node& n, const Span& a, const Span& b, const Span& c) {
    const int k = arity(n.op);
    Span out{value(n, a.from, b.from, c.from), value(n, a.to, b.to, c.to), g.zero()};
    const auto still = [&](const Span& x) { return g.is_constant(x.slope, 0.0); };
    if (still(a) && (k < 2 || still(b)) && (k < 3 || still(c))) return out;
    out.slope = rule(n, out, a, b, c);
    return out;
  }

 private:
  NodeId value(const Node& n, NodeId a, NodeId b, NodeId c) {
    if (is_lookup(n.op)) return g.lookup(n.c, a, n.op == Op::lookup_slope);
    switch (arity(n.op)) {
      case 1: return g.unary(n.op, a);
      case 2: return g.binary(n.op, a, b);
      default: return g.select(a, b, c);
    }
  }
  NodeId mean(NodeId a, NodeId b) { return g.mul(g.constant(0.5), g.add(a, b)); }
  NodeId mean(const Span& x) { return mean(x.from, x.to); }
  NodeId change(const Span& x) { return whole_ ? x.slope : g.mul(x.slope, width_); }  // b - a
  // a/b where `condition` holds, else `instead`. The branch that is not taken stays finite, and so do its derivatives.
  NodeId guarded(NodeId condition, NodeId a, NodeId b, NodeId instead) {
    return g.select(condition, g.div(a, g.select(condition, b, g.one())), instead);
  }
  // f(x)/width for an odd f = sin, sinh, atan with f(x) = x + third x^3 + fifth x^5 + ..., where x = factor * (b - a).
  NodeId odd(Op f, const Span& s, double factor, double third, double fifth) {
    const NodeId x = g.mul(g.constant(factor), change(s));
    if (whole_) return g.unary(f, x);
    const NodeId square = g.mul(x, x);
    const NodeId series = g.add(g.one(), g.mul(square, g.add(g.constant(third), g.mul(g.constant(fifth), square))));
    const NodeId ratio = guarded(g.binary(Op::less_equal, g.constant(1e-5), square), g.unary(f, x), x, series);
    return g.mul(g.mul(g.constant(factor), s.slope), ratio);
  }
  NodeId product(const Span& a, const Span& b) { return g.add(g.mul(a.slope, mean(b)), g.mul(mean(a), b.slope)); }

  NodeId rule(const Node& n, const Span& f, const Span& a, const Span& b, const Span& c) {
    const auto twice = [&](NodeId x) { return g.mul(g.constant(2.0), x); };
    const auto sine = [&](const Span& s) { return odd(Op::sin, s, 0.5, -1.0 / 6.0, 1.0 / 120.0); };
    const auto hyperbolic = [&](const Span& s, double factor) {
      return odd(Op::sinh, s, factor, 1.0 / 6.0, 1.0 / 120.0);
    };
    switch (n.op) {
      case Op::neg: return g.neg(a.slope);
      case Op::add: return g.add(a.slope, b.slope);
      case Op::sub: return g.sub(a.slope, b.slope);
      case Op::mul: return product(a, b);
      case Op::div: return g.div(g.sub(g.mul(a.slope, mean(b)), g.mul(mean(a), b.slope)), g.mul(b.from, b.to));
      case Op::sqrt: return g.div(a.slope, g.add(f.from, f.to));
      case Op::sin: return twice(g.mul(g.unary(Op::cos, mean(a)), sine(a)));
      case Op::cos: return g.neg(twice(g.mul(g.unary(Op::sin, mean(a)), sine(a))));
      case Op::tan:
        return g.div(odd(Op::sin, a, 1.0, -1.0 / 6.0, 1.0 / 120.0),
                     g.mul(g.unary(Op::cos, a.from), g.unary(Op::cos, a.to)));
      case Op::exp: return twice(g.mul(g.unary(Op::exp, mean(a)), hyperbolic(a, 0.5)));
      case Op::sinh: return twice(g.mul(g.unary(Op::cosh, mean(a)), hyperbolic(a, 0.5)));
      case Op::cosh: return twice(g.mul(g.unary(Op::sinh, mean(a)), hyperbolic(a, 0.5)));
      case Op::tanh: return g.div(hyperbolic(a, 1.0), g.mul(g.unary(Op::cosh, a.from), g.unary(Op::cosh, a.to)));
      case Op::hypot:
        return guarded(g.binary(Op::less, g.zero(), g.add(f.from, f.to)),
                       g.add(g.mul(a.slope, g.add(a.from, a.to)), g.mul(b.slope, g.add(b.from, b.to))),
                       g.add(f.from, f.to), g.zero());
      case Op::pow: return power(n, a, b);
      case Op::atan2: return two_arguments(Op::atan2, a, b);
      case Op::min:
      case Op::max: {
        // Where the same argument is taken at both ends, its slope.
        const Op less = Op::less;
        const auto second = [&](NodeId x, NodeId y) {
          return n.op == Op::min ? g.binary(less, y, x) : g.binary(less, x, y);
        };
        return chosen(second(a.from, b.from), second(a.to, b.to), b.slope, a.slope, f);
      }
      case Op::select: return chosen(truth(g, a.from), truth(g, a.to), b.slope, c.slope, f);
      case Op::sign:
      case Op::less:
      case Op::less_equal:
      case Op::lookup:
      case Op::lookup_slope: return quotient(f);
      case Op::constant:
      case Op::variable:
      case Op::index:
      case Op::table:
      case Op::input:
      case Op::asin:
      case Op::acos:
      case Op::atan:
      case Op::log:
      case Op::abs:
      case Op::sum: return along(a, [&](NodeId u) { return g.unary(n.op, u); });
    }
    return g.zero();
  }

  NodeId quotient(const Span& f) {  // a jump: nothing better than the difference of the values
    const NodeId d = g.sub(f.to, f.from);
    if (whole_) return d;
    return guarded(g.binary(Op::less, g.zero(), g.unary(Op::abs, width_)), d, width_, g.zero());
  }

  NodeId chosen(NodeId from, NodeId to, NodeId yes, NodeId no, const Span& f) {
    const NodeId both = g.mul(from, to), none = g.mul(g.sub(g.one(), from), g.sub(g.one(), to));
    return g.select(both, yes, g.select(none, no, quotient(f)));
  }

  NodeId power(const Node& n, const Span& a, const Span& b) {
    if (!g.is_constant(b.from) || b.from != b.to) return two_arguments(Op::pow, a, b);
    const double e = g[b.from].value;
    if (e < 0.0) {  // 1/x^-e
      const Node up{.op = Op::pow, .a = n.a, .b = g.constant(-e)};
      const NodeId positive = g.constant(-e);
      const Span x = of(up, a, {positive, positive, g.zero()}, {});
      return g.neg(g.div(x.slope, g.mul(x.from, x.to)));
    }
    constexpr double kMostFactors = 12.0;
    if (e == std::floor(e) && e <= kMostFactors && e >= 1.0) {  // sum of a^i b^(e-1-i)
      NodeId sum = g.one(), to = g.one();
      for (int i = 1; i < static_cast<int>(e); ++i) {
        to = g.mul(to, a.to);
        sum = g.add(g.mul(sum, a.from), to);
      }
      return g.mul(a.slope, sum);
    }
    return along(a, [&](NodeId u) { return g.binary(Op::pow, u, b.from); });
  }

  // Any other function of one argument, `put`: the difference of its values where that loses few digits, else two terms
  // of the series about the middle, which are exact to rounding there.
  NodeId along(const Span& moving, const std::function<NodeId(NodeId)>& put) {
    const NodeId x = g.variable(kScratch, 0);
    const auto differentiate = [&](NodeId e) {
      return tangent(g, e, [&](NodeId id) { return id == x ? g.one() : g.zero(); });
    };
    const NodeId first = differentiate(put(x)), third = differentiate(differentiate(first));
    const NodeId middle = mean(moving), d = change(moving);
    const auto at = [&](NodeId e) { return substitute(g, e, [&](NodeId id) { return id == x ? middle : id; }); };
    const NodeId series =
        g.mul(moving.slope, g.add(at(first), g.mul(g.mul(g.constant(1.0 / 24.0), g.mul(d, d)), at(third))));
    const NodeId size = g.add(g.unary(Op::abs, moving.from), g.unary(Op::abs, moving.to));
    const NodeId far = g.binary(Op::less, g.mul(g.constant(1e-3), size), g.unary(Op::abs, d));
    const NodeId difference = g.sub(put(moving.to), put(moving.from));
    return whole_ ? g.select(far, difference, series) : guarded(far, g.mul(moving.slope, difference), d, series);
  }

  // One argument after the other, in both orders: the mean does not change when the ends are exchanged.
  NodeId two_arguments(Op op, const Span& a, const Span& b) {
    const auto first = [&](NodeId other) { return along(a, [&](NodeId u) { return g.binary(op, u, other); }); };
    const auto second = [&](NodeId other) { return along(b, [&](NodeId u) { return g.binary(op, other, u); }); };
    return mean(g.add(first(b.from), second(a.to)), g.add(first(b.to), second(a.from)));
  }

  Graph& g;
  NodeId width_;
  bool whole_;
};

}  // namespace

Span slope(Graph& graph, NodeId expr, NodeId width, const std::function<Span(NodeId)>& leaf) {
  Slopes rules(graph, width);
  std::unordered_map<NodeId, Span> spans;
  for (const NodeId id : reachable(graph, std::span(&expr, 1))) {
    const Node n = graph[id];
    if (n.count != 0 || n.op == Op::sum) throw NeedsUnrolling();
    if (n.op == Op::variable) {
      spans[id] = leaf(id);
    } else if (is_leaf(n.op)) {
      spans[id] = {id, id, graph.zero()};
    } else {
      const int k = arity(n.op);
      const auto at = [&](bool there, NodeId argument) { return there ? spans.at(argument) : Span{}; };
      const Span a = at(k > 0, n.a), b = at(k > 1, n.b), c = at(k > 2, n.c);
      spans[id] = rules.of(n, a, b, c);
    }
  }
  return spans.at(expr);
}

}  // namespace rattleback
