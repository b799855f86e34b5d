// Text of an expression, for messages and `check`.
#include <array>

#include <fmt/format.h>

#include "expr/instructions.hpp"
#include "rattleback/expr.hpp"

namespace rattleback {
namespace {

constexpr std::array<const char*, 31> kNames = {"constant", "variable", "index", "table", "neg",  "sin",  "cos", "tan",
                                                "asin",     "acos",     "atan",  "sinh",  "cosh", "tanh", "exp", "log",
                                                "sqrt",     "abs",      "sign",  "+",     "-",    "*",    "/",   "^",
                                                "atan2",    "min",      "max",   "hypot", "<",    "<=",   "if"};

int precedence(Op op) {
  switch (op) {
    case Op::less:
    case Op::less_equal: return 1;
    case Op::add:
    case Op::sub: return 2;
    case Op::mul:
    case Op::div: return 3;
    case Op::neg: return 4;
    case Op::pow: return 5;
    case Op::constant:
    case Op::variable:
    case Op::index:
    case Op::table:
    case Op::input:
    case Op::sin:
    case Op::cos:
    case Op::tan:
    case Op::asin:
    case Op::acos:
    case Op::atan:
    case Op::sinh:
    case Op::cosh:
    case Op::tanh:
    case Op::exp:
    case Op::log:
    case Op::sqrt:
    case Op::abs:
    case Op::sign:
    case Op::atan2:
    case Op::min:
    case Op::max:
    case Op::hypot:
    case Op::select:
    case Op::sum:
    case Op::lookup:
    case Op::lookup_slope: return 6;
  }
  return 6;
}

// A parameter that is 1 is a factor of the formula, but not of its text.
NodeId without_ones(const Graph& g, NodeId id) {
  while (g[id].op == Op::mul && (g.is_constant(g[id].a, 1.0) || g.is_constant(g[id].b, 1.0)))
    id = g.is_constant(g[id].a, 1.0) ? g[id].b : g[id].a;
  return id;
}

std::string write(const Graph& g, NodeId id, const std::function<std::string(const Node&)>& name, int budget,
                  int& room) {
  if (budget <= 0 || --room < 0) return "...";
  const Node& n = g[without_ones(g, id)];
  const auto arg = [&](NodeId k, int outer) {
    std::string s = write(g, k, name, budget - 1, room);
    const Node& m = g[without_ones(g, k)];
    const bool bare = is_leaf(m.op) ? !(m.op == Op::constant && m.value < 0.0) : precedence(m.op) >= outer;
    return bare ? s : "(" + s + ")";
  };
  switch (n.op) {
    case Op::constant: return fmt::format("{}", n.value);
    case Op::variable:
      if (name) return name(n);
      return fmt::format("s{}[{}+{}i]", n.space, n.base(), n.stride());
    case Op::input: return name ? name(n) : fmt::format("input{}", n.a);
    case Op::index: return fmt::format("({}+{}i)", n.base(), n.stride());
    case Op::table: return fmt::format("table{}[{}+{}i]", n.c, n.base(), n.stride());
    case Op::neg: return "-" + arg(n.a, 4);
    case Op::sum: return fmt::format("sum({}, {})", n.b, write(g, n.a, name, budget - 1, room));
    case Op::lookup: return fmt::format("series{}({})", n.c, write(g, n.a, name, budget - 1, room));
    case Op::lookup_slope: return fmt::format("slope{}({})", n.c, write(g, n.a, name, budget - 1, room));
    case Op::select: return fmt::format("if({}, {}, {})", arg(n.a, 0), arg(n.b, 0), arg(n.c, 0));
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div:
    case Op::less:
    case Op::less_equal: {
      const int p = precedence(n.op);
      return fmt::format("{} {} {}", arg(n.a, p), name_of(n.op), arg(n.b, p + 1));
    }
    case Op::pow: return fmt::format("{}^{}", arg(n.a, 6), arg(n.b, 5));
    case Op::sin:
    case Op::cos:
    case Op::tan:
    case Op::asin:
    case Op::acos:
    case Op::atan:
    case Op::sinh:
    case Op::cosh:
    case Op::tanh:
    case Op::exp:
    case Op::log:
    case Op::sqrt:
    case Op::abs:
    case Op::sign:
    case Op::atan2:
    case Op::min:
    case Op::max:
    case Op::hypot: {
      std::string s = std::string(name_of(n.op)) + "(" + arg(n.a, 0);
      if (arity(n.op) == 2) s += ", " + arg(n.b, 0);
      return s + ")";
    }
  }
  return "";
}

}  // namespace

const char* name_of(Op op) { return kNames[static_cast<std::size_t>(op)]; }

std::string to_string(const Graph& graph, NodeId expr, const std::function<std::string(const Node&)>& name) {
  // A part that occurs twice in a part that occurs twice ... would fill the memory.
  int room = 20'000;
  return write(graph, expr, name, 200, room);
}

}  // namespace rattleback
