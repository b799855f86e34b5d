// The expression graph: every formula of a model, of its derivatives and of a whole integration step lives here.
//
// Nodes are hash-consed: building the same formula twice gives the same node, so a common subexpression is evaluated
// once wherever it occurs. Simple identities (x*1, x+0, x-x, constant arguments) are applied on construction.
//
// Families stay families. A leaf inside a loop has an affine index: variable(space, base, stride, count) stands for
// element base + stride*i of a vector, i = 0..count-1, and every node above it carries the same count. sum(body,
// count) closes the loop. A chain of 100000 links is therefore a few dozen nodes, whatever its length. There is one
// loop level: what needs more (a sum inside a sum) is unrolled by the model front end.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rattleback/export.hpp"

namespace RATTLEBACK_API rattleback {

// Number of a node in its graph. Nodes are numbered as they are made, so that arguments have smaller numbers.
using NodeId = std::uint32_t;

// A vector of variables. The first ones have a fixed meaning; a step adds its own (stage velocities, multipliers).
using Space = std::uint16_t;
inline constexpr Space kTime = 0;        // t, its only element
inline constexpr Space kPosition = 1;    // q, or the states y of a DAE
inline constexpr Space kVelocity = 2;    // v
inline constexpr Space kMultiplier = 3;  // lambda, or the algebraic variables z of a DAE

// clang-format off
// What a node does with its arguments a, b, c.
enum class Op : std::uint8_t {
  constant, variable,  // a leaf: a number; an element of a vector
  index, table,        // a leaf in a loop: its affine index as a number; the element of a table at that index
  neg,  // -a
  sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, exp, log, sqrt, abs,  // the function of this name in <cmath>, of a
  sign,  // -1, 0 or 1
  add, sub, mul, div,  // a + b, a - b, a * b, a / b
  pow, atan2, min, max, hypot,  // the function of this name in <cmath> or <algorithm>, of a and b
  less, less_equal,  // 1 where a < b (a <= b), else 0
  select,  // a != 0 ? b : c
  sum,     // of the body a over its loop
  lookup, lookup_slope,  // a piecewise linear function of a, given by table c, and its slope
  input  // a leaf: a number that is given from outside while steps are taken
};
// clang-format on
constexpr int arity(Op op) {  // number of node arguments
  switch (op) {
    case Op::constant:
    case Op::variable:
    case Op::index:
    case Op::table:
    case Op::input: return 0;
    case Op::neg:
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
    case Op::sum:
    case Op::lookup:
    case Op::lookup_slope: return 1;
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div:
    case Op::pow:
    case Op::atan2:
    case Op::min:
    case Op::max:
    case Op::hypot:
    case Op::less:
    case Op::less_equal: return 2;
    case Op::select: return 3;
  }
  return 0;
}
// Has it no arguments?
constexpr bool is_leaf(Op op) { return arity(op) == 0; }
// Is it read from a table at a point, or the slope there?
constexpr bool is_lookup(Op op) { return op == Op::lookup || op == Op::lookup_slope; }

// One operation with its arguments, as numbers of other nodes.
struct Node {
  Op op = Op::constant;        // what is done
  Space space = 0;             // variable: which vector
  std::int32_t count = 0;      // size of the loop this node varies over; 0 = the same for all
  NodeId a = 0, b = 0, c = 0;  // arguments, as many as arity() says; what leaves keep here is said below
  double value = 0.0;          // constant, input

  // The affine index of a leaf in a loop is base + stride*i. An input keeps its number in a. Other leaves keep their affine
  // index in a and b; a table and a lookup their number in c; a sum its loop size in b. A constant that is made of parameters
  // keeps how in c, and of what in a and b; of others c is 0.
  [[nodiscard]] std::int32_t base() const { return static_cast<std::int32_t>(a); }
  [[nodiscard]] std::int32_t stride() const { return static_cast<std::int32_t>(b); }  // 0: no loop
};

// All nodes of a model's formulas. Nodes are only added, so their numbers stay valid, in copies, too.
class Graph {
 public:
  // A number. All zeros are one node.
  NodeId constant(double value);
  // A number that rounding made on its way here: `error` bounds what it may be off (src/expr/rounding.hpp). Folding passes
  // that on. A number that several formulas gave keeps the largest bound.
  NodeId constant(double value, double error);
  // Bound of what rounding may have done to a constant; a few units in the last place where nothing is known.
  [[nodiscard]] double constant_error(NodeId id) const;

  // The value of parameter `number` of a model. It is a constant like others, and so is what is folded of it, except that both
  // know how they were made: other values can be put in later (src/expr/parameters.hpp). What was decided by them must be
  // decided alike then: whether they are zero, their sign, whether they are finite. (A constant that is zero vanishes from
  // formulas; no other value is treated in a way of its own.)
  NodeId parameter(std::uint32_t number, double value, double error = 0.0);
  // A number from outside that is `value` until it is given. It takes its value from the same list as the parameters, at
  // `number`, but is no constant: nothing is decided by its value, so any other one will do.
  NodeId input(std::uint32_t number, double value);
  // Computes numbers from numbers. A number that has no value is nan.
  using Compute = void (*)(std::span<const double> from, std::span<double> to);
  // `count` constants that are computed together from constants.
  std::vector<NodeId> computed(Compute compute, std::span<const NodeId> from, std::size_t count);
  // A constant on whose very value something depends, such as an exponent: from here on only this value will do.
  NodeId settle(NodeId id);
  // Is it made of parameters?
  [[nodiscard]] bool is_made(NodeId id) const { return nodes_[id].op == Op::constant && nodes_[id].c != 0; }
  // Puts other values of the parameters in: all constants become what they would have been. False, and nothing is changed,
  // where something would have been decided otherwise. Inputs whose numbers are beyond `values` stay as they are.
  bool set_parameters(std::span<const double> values, std::span<const double> errors);
  // Constants that are made of parameters by one call of computed().
  struct Group {
    Compute compute = nullptr;  // what computes them
    std::vector<NodeId> from;   // what they are computed of
    std::size_t count = 0;      // how many there are
  };
  [[nodiscard]] std::span<const Group> groups() const { return groups_; }  // in the order of their making
  // Constants on whose value something depends (settle()), with that value.
  [[nodiscard]] std::span<const std::pair<NodeId, double>> settled() const { return settled_; }

  // Element `base` of a vector, or with a stride the elements base + stride*i of a loop of `count`.
  NodeId variable(Space space, std::int32_t base, std::int32_t stride = 0, std::int32_t count = 0);
  NodeId index(std::int32_t base, std::int32_t stride, std::int32_t count);  // the number base + stride*i
  std::uint32_t add_table(std::vector<double> values);                       // equal tables share a number
  // The element of a table at an affine index; without a stride it is a constant.
  NodeId table(std::uint32_t number, std::int32_t base, std::int32_t stride, std::int32_t count);
  // An operation with one argument, simplified where it can be.
  NodeId unary(Op op, NodeId a);
  // The piecewise linear function through the points of a table at a: first all abscissae, ascending, then all values.
  // Beyond its ends it keeps the end values. `slope`: its derivative, from the right.
  NodeId lookup(std::uint32_t table, NodeId a, bool slope = false);
  NodeId binary(Op op, NodeId a, NodeId b);                // an operation with two arguments, in the same way
  NodeId select(NodeId condition, NodeId yes, NodeId no);  // `yes` where the condition is not 0, else `no`
  NodeId sum(NodeId body, std::int32_t count);             // of the body over its loop of `count`

  // Short for unary(), binary() and constant():
  NodeId neg(NodeId a) { return unary(Op::neg, a); }
  NodeId add(NodeId a, NodeId b) { return binary(Op::add, a, b); }
  NodeId sub(NodeId a, NodeId b) { return binary(Op::sub, a, b); }
  NodeId mul(NodeId a, NodeId b) { return binary(Op::mul, a, b); }
  NodeId div(NodeId a, NodeId b) { return binary(Op::div, a, b); }
  NodeId zero() { return constant(0.0); }
  NodeId one() { return constant(1.0); }

  // A node by its number, which is not checked.
  [[nodiscard]] const Node& operator[](NodeId id) const { return nodes_[id]; }
  // How many nodes there are.
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  // The numbers of a table (add_table()).
  [[nodiscard]] std::span<const double> table_values(std::uint32_t number) const { return tables_[number]; }
  // Is it a number, of parameters or not?
  [[nodiscard]] bool is_constant(NodeId id) const { return nodes_[id].op == Op::constant; }
  // Is it this number?
  [[nodiscard]] bool is_constant(NodeId id, double value) const {
    return nodes_[id].op == Op::constant && nodes_[id].value == value;
  }

  // From here on an Error is thrown when the graph would grow past this many nodes (a hostile or far too large model).
  // Without it the limit is 40 million.
  void set_limit(std::size_t nodes) { limit_ = nodes; }

 private:
  NodeId intern(const Node& node);
  void grow_index();
  NodeId fold(Op op, NodeId a, NodeId b);  // of two constants
  NodeId fold(Op op, NodeId a);
  NodeId made(std::uint32_t how, NodeId a, NodeId b, double value, double error);
  void remember_error(NodeId id, double error);

  std::vector<Node> nodes_;
  std::vector<NodeId> slots_;  // open-addressing hash table of node numbers + 1
  std::vector<std::vector<double>> tables_;
  // Of constants that lost digits, ascending; there are few. All others are good to kUsualError of their size.
  std::vector<std::pair<NodeId, double>> lossy_;
  std::vector<Group> groups_;
  std::vector<std::pair<NodeId, double>> settled_;
  std::size_t limit_ = 40'000'000;
};

// The value of one operation, as the interpreter and constant folding define it. Throws Error for leaves, sums and lookups.
double apply(Op op, double a, double b = 0.0, double c = 0.0);

// The value of a lookup, or its slope, at x.
double look_up(std::span<const double> table, double x, bool slope);

// An affine index of a loop: element base + stride*i.
struct IndexMap {
  std::int32_t base = 0, stride = 0;                                                 // of base + stride*i
  [[nodiscard]] std::int32_t at(std::int32_t i) const { return base + stride * i; }  // the index in round i
  bool operator==(const IndexMap&) const = default;                                  // member by member
};

// Part of a vector or matrix function: value expr at (row, col), for each i of its loop (count = 0: once).
// Entries that meet in one place add up.
struct Entry {
  NodeId expr = 0;         // value
  std::int32_t count = 0;  // size of the loop
  IndexMap row, col;       // place; a vector has columns 0
};
// A vector or matrix function, of which only what is not 0 is written.
using Entries = std::vector<Entry>;

// Raised by the derivatives when a family would need a loop in a loop (a nonlinear function of a sum, differentiated
// twice). The model front end answers by unrolling.
class NeedsUnrolling : public std::exception {
 public:
  // Always the same text.
  [[nodiscard]] const char* what() const noexcept override { return "a family needs unrolling"; }
};

// d expr / d space as entries (row = element of the space).
Entries gradient(Graph& graph, NodeId expr, Space space);
// d f / d space; rows as in f, col = element of the space.
Entries jacobian(Graph& graph, std::span<const Entry> f, Space space);
// Derivative of expr along a direction: `seed` gives the tangent of each variable leaf (node number -> node number).
NodeId tangent(Graph& graph, NodeId expr, const std::function<NodeId(NodeId)>& seed);
// f_t + f_q v: the total derivative of an expression of t and q (kTime, kPosition), with v in kVelocity.
NodeId total_time_derivative(Graph& graph, NodeId expr);
// expr with every variable leaf replaced.
NodeId substitute(Graph& graph, NodeId expr, const std::function<NodeId(NodeId)>& leaf);
// Does any of the expressions contain a variable of this space?:
bool depends_on(const Graph& graph, std::span<const NodeId> exprs, Space space);
bool depends_on(const Graph& graph, std::span<const Entry> entries, Space space);
// Human-readable text of an expression; `name` writes a variable leaf.
std::string to_string(const Graph& graph, NodeId expr, const std::function<std::string(const Node&)>& name = {});

// A value in a graph, with the usual arithmetic. A C++ model is a function template that is called once with Expr, so
// a formula written in C++ and one read from a file meet in the same graph and share one derivative engine.
class Expr {
 public:
  // A number, which belongs to no graph yet.
  Expr(double value = 0.0) : value_(value) {}  // NOLINT(google-explicit-constructor): numbers are expressions
  // A node of a graph, which must outlive it.
  Expr(Graph& graph, NodeId id) : graph_(&graph), id_(id) {}
  // The graph that it belongs to; null: it is just a number.
  [[nodiscard]] Graph* graph() const { return graph_; }
  // Its node; a number becomes one of this graph.
  [[nodiscard]] NodeId id(Graph& graph) const { return graph_ != nullptr ? id_ : graph.constant(value_); }

  // An operation on expressions. Numbers alone stay a number:
  static Expr make(Op op, const Expr& a);
  static Expr make(Op op, const Expr& a, const Expr& b);
  static Expr make_select(const Expr& condition, const Expr& yes, const Expr& no);

  // Arithmetic in place:
  Expr& operator+=(const Expr& o) { return *this = make(Op::add, *this, o); }
  Expr& operator-=(const Expr& o) { return *this = make(Op::sub, *this, o); }
  Expr& operator*=(const Expr& o) { return *this = make(Op::mul, *this, o); }
  Expr& operator/=(const Expr& o) { return *this = make(Op::div, *this, o); }

 private:
  Graph* graph_ = nullptr;  // null: just the number value_
  NodeId id_ = 0;
  double value_ = 0.0;
};

// The usual arithmetic and functions, as expressions:
inline Expr operator+(const Expr& a, const Expr& b) { return Expr::make(Op::add, a, b); }
inline Expr operator-(const Expr& a, const Expr& b) { return Expr::make(Op::sub, a, b); }
inline Expr operator*(const Expr& a, const Expr& b) { return Expr::make(Op::mul, a, b); }
inline Expr operator/(const Expr& a, const Expr& b) { return Expr::make(Op::div, a, b); }
inline Expr operator-(const Expr& a) { return Expr::make(Op::neg, a); }
inline Expr operator+(const Expr& a) { return a; }
inline Expr sin(const Expr& a) { return Expr::make(Op::sin, a); }
inline Expr cos(const Expr& a) { return Expr::make(Op::cos, a); }
inline Expr tan(const Expr& a) { return Expr::make(Op::tan, a); }
inline Expr asin(const Expr& a) { return Expr::make(Op::asin, a); }
inline Expr acos(const Expr& a) { return Expr::make(Op::acos, a); }
inline Expr atan(const Expr& a) { return Expr::make(Op::atan, a); }
inline Expr sinh(const Expr& a) { return Expr::make(Op::sinh, a); }
inline Expr cosh(const Expr& a) { return Expr::make(Op::cosh, a); }
inline Expr tanh(const Expr& a) { return Expr::make(Op::tanh, a); }
inline Expr exp(const Expr& a) { return Expr::make(Op::exp, a); }
inline Expr log(const Expr& a) { return Expr::make(Op::log, a); }
inline Expr sqrt(const Expr& a) { return Expr::make(Op::sqrt, a); }
inline Expr abs(const Expr& a) { return Expr::make(Op::abs, a); }
inline Expr pow(const Expr& a, const Expr& b) { return Expr::make(Op::pow, a, b); }
inline Expr atan2(const Expr& a, const Expr& b) { return Expr::make(Op::atan2, a, b); }
inline Expr min(const Expr& a, const Expr& b) { return Expr::make(Op::min, a, b); }
inline Expr max(const Expr& a, const Expr& b) { return Expr::make(Op::max, a, b); }
inline Expr hypot(const Expr& a, const Expr& b) { return Expr::make(Op::hypot, a, b); }
// where(less(a, b), x, y) is x where a < b, else y; less() and less_equal() are 1 or 0. C++ has no ?: to overload, so:
inline Expr less(const Expr& a, const Expr& b) { return Expr::make(Op::less, a, b); }
inline Expr less_equal(const Expr& a, const Expr& b) { return Expr::make(Op::less_equal, a, b); }
inline Expr where(const Expr& condition, const Expr& yes, const Expr& no) {
  return Expr::make_select(condition, yes, no);
}
// The same of numbers, so that a function template runs with double, too:
inline double less(double a, double b) { return a < b ? 1.0 : 0.0; }
inline double less_equal(double a, double b) { return a <= b ? 1.0 : 0.0; }
inline double where(double condition, double yes, double no) { return condition != 0.0 ? yes : no; }

}  // namespace rattleback
