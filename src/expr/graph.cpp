// Construction of the expression graph: interning and the simplifications that are always worth it.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "expr/apply.hpp"
#include "expr/parameters.hpp"
#include "expr/rounding.hpp"
#include "rattleback/error.hpp"
#include "rattleback/expr.hpp"

namespace rattleback {

double apply(Op op, double a, double b, double c) { return apply_here(op, a, b, c); }

namespace {

std::size_t hash_node(const Node& n) {
  const std::uint64_t kind = static_cast<std::uint64_t>(n.op) | static_cast<std::uint64_t>(n.space) << 8 |
                             static_cast<std::uint64_t>(static_cast<std::uint32_t>(n.count)) << 32;
  const std::uint64_t arguments = n.a | static_cast<std::uint64_t>(n.b) << 32;
  std::uint64_t h = kind * 0x9e3779b97f4a7c15ULL ^ arguments * 0xff51afd7ed558ccdULL;
  // What is made of parameters is known by how, so that its value may change; an input by its number.
  const std::uint64_t value =
      (n.op == Op::constant && n.c != 0) || n.op == Op::input ? 0 : std::bit_cast<std::uint64_t>(n.value);
  h = (h ^ h >> 29) + (value ^ static_cast<std::uint64_t>(n.c) << 17);
  h = (h ^ h >> 32) * 0xd6e8feb86659fd93ULL;
  return h ^ h >> 32;
}

bool same(const Node& x, const Node& y) {
  if (x.op != y.op || x.space != y.space || x.count != y.count || x.a != y.a || x.b != y.b || x.c != y.c) return false;
  if ((x.op == Op::constant && x.c != 0) || x.op == Op::input) return true;
  // Constants compare by bits, so that 0.0 and -0.0 stay apart.
  return std::bit_cast<std::uint64_t>(x.value) == std::bit_cast<std::uint64_t>(y.value);
}

bool commutes(Op op) { return op == Op::add || op == Op::mul || op == Op::min || op == Op::max || op == Op::hypot; }

}  // namespace

void Graph::grow_index() {
  slots_.assign(std::max<std::size_t>(1024, slots_.size() * 2), 0);
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    std::size_t k = hash_node(nodes_[id]) & (slots_.size() - 1);
    while (slots_[k] != 0) k = (k + 1) & (slots_.size() - 1);
    slots_[k] = id + 1;
  }
}

NodeId Graph::intern(const Node& node) {
  if (nodes_.size() * 2 >= slots_.size()) grow_index();
  std::size_t k = hash_node(node) & (slots_.size() - 1);
  while (slots_[k] != 0) {
    if (same(nodes_[slots_[k] - 1], node)) return slots_[k] - 1;
    k = (k + 1) & (slots_.size() - 1);
  }
  if (nodes_.size() >= limit_) throw Error("the model is too large: its formulas exceed the limit of graph nodes");
  nodes_.push_back(node);
  slots_[k] = static_cast<NodeId>(nodes_.size());
  return static_cast<NodeId>(nodes_.size() - 1);
}

NodeId Graph::constant(double value) {
  Node n;
  n.value = value == 0.0 ? 0.0 : value;  // one zero
  return intern(n);
}

namespace {
constexpr double kUsualError = 4.0 * kUlp;  // of a constant, relative
constexpr double kLossy = 64.0 * kUlp;      // from here on a constant is worth remembering
}  // namespace

NodeId Graph::constant(double value, double error) {
  const NodeId id = constant(value);
  if (value != 0.0) remember_error(id, error);  // all zeros are one node
  return id;
}

void Graph::remember_error(NodeId id, double error) {
  if (!(error > kLossy * std::fabs(nodes_[id].value))) return;
  const auto at = std::lower_bound(lossy_.begin(), lossy_.end(), std::pair(id, 0.0));
  if (at == lossy_.end() || at->first != id)
    lossy_.insert(at, {id, error});
  else
    at->second = std::fmax(at->second, error);
}

double Graph::constant_error(NodeId id) const {
  const auto at = std::lower_bound(lossy_.begin(), lossy_.end(), std::pair(id, 0.0));
  return at != lossy_.end() && at->first == id ? at->second : kUsualError * std::fabs(nodes_[id].value);
}

// Digits are lost where terms cancel; a product or a function of good constants is good, so that most folding is plain.
NodeId Graph::fold(Op op, NodeId a, NodeId b) {
  const double x = nodes_[a].value, y = nodes_[b].value;
  const bool plain = lossy_.empty() && op != Op::add && op != Op::sub && op != Op::pow;
  const auto usual = [&](NodeId id) { return Rounded{nodes_[id].value, constant_error(id)}; };
  if (!is_made(a) && !is_made(b)) {
    if (plain) return constant(apply(op, x, y));
    const Rounded r = apply(op, usual(a), usual(b));
    return constant(r.value, r.error);
  }
  // What leaves a number as it is.
  if (op == Op::mul && !is_made(a) && x == 1.0) return b;
  if ((op == Op::mul || op == Op::div) && !is_made(b) && y == 1.0) return a;
  if (op == Op::add && !is_made(a) && x == 0.0) return b;
  if ((op == Op::add || op == Op::sub) && !is_made(b) && y == 0.0) return a;
  if (op == Op::pow && is_made(b)) return fold(op, a, settle(b));
  if (commutes(op) && b < a) std::swap(a, b);
  const Rounded r = apply(op, usual(a), usual(b));
  return made(made_by(op), a, b, r.value, r.error);
}

NodeId Graph::fold(Op op, NodeId a) {
  const Rounded r = apply(op, Rounded{nodes_[a].value, constant_error(a)});
  return is_made(a) ? made(made_by(op), a, 0, r.value, r.error) : constant(r.value, r.error);
}

NodeId Graph::made(std::uint32_t how, NodeId a, NodeId b, double value, double error) {
  Node n;
  n.value = value == 0.0 ? 0.0 : value;
  n.a = a;
  n.b = b;
  n.c = how;
  const NodeId id = intern(n);
  if (value == 0.0) return zero();  // it is remembered that this one was zero
  remember_error(id, error);
  return id;
}

NodeId Graph::parameter(std::uint32_t number, double value, double error) {
  return made(kMadeByParameter, number, 0, value, error);
}

NodeId Graph::input(std::uint32_t number, double value) {
  Node n;
  n.op = Op::input;
  n.a = number;
  n.value = value;
  return intern(n);
}

std::vector<NodeId> Graph::computed(Compute compute, std::span<const NodeId> from, std::size_t count) {
  std::vector<double> in, out(count);
  for (const NodeId id : from) in.push_back(nodes_[id].value);
  compute(in, out);
  std::vector<NodeId> ids;
  const bool plain = std::none_of(from.begin(), from.end(), [&](NodeId id) { return is_made(id); });
  std::uint32_t group = 0;
  for (; group < groups_.size(); ++group)
    if (groups_[group].compute == compute &&
        std::equal(from.begin(), from.end(), groups_[group].from.begin(), groups_[group].from.end()))
      break;
  if (!plain && group == groups_.size()) groups_.push_back({compute, {from.begin(), from.end()}, count});
  for (std::uint32_t i = 0; i < count; ++i)
    ids.push_back(plain ? constant(out[i]) : made(kMadeInGroup, group, i, out[i], 0.0));
  return ids;
}

NodeId Graph::settle(NodeId id) {
  if (!is_made(id)) return id;
  const double value = nodes_[id].value;
  if (std::find(settled_.begin(), settled_.end(), std::pair(id, value)) == settled_.end())
    settled_.emplace_back(id, value);
  return constant(value, constant_error(id));
}

bool Graph::set_parameters(std::span<const double> values, std::span<const double> errors) {
  std::vector<std::pair<NodeId, Rounded>> now;
  std::vector<std::vector<double>> groups(groups_.size());
  const auto value = [&](NodeId id) -> Rounded {
    const auto at = std::lower_bound(now.begin(), now.end(), id, [](const auto& x, NodeId k) { return x.first < k; });
    if (at != now.end() && at->first == id) return at->second;
    return {nodes_[id].value, constant_error(id)};
  };
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    const Node& n = nodes_[id];
    if (n.op == Op::input && n.a < values.size()) now.emplace_back(id, Rounded{values[n.a], 0.0});
    if (n.op != Op::constant || n.c == 0) continue;
    const auto parameter = [&](std::uint32_t k) { return Rounded{values[k], errors.empty() ? 0.0 : errors[k]}; };
    const auto member = [&](std::uint32_t group, std::uint32_t element) {
      if (groups[group].empty()) {
        const Group& g = groups_[group];
        std::vector<double> in;
        for (const NodeId k : g.from) in.push_back(value(k).value);
        groups[group].resize(g.count);
        g.compute(in, groups[group]);
      }
      return Rounded{groups[group][element], 0.0};
    };
    const Rounded x = value_as_made(n.c, n.a, n.b, parameter, member, value);
    if (number_class(x.value) != number_class(n.value)) return false;
    now.emplace_back(id, Rounded{x.value == 0.0 ? 0.0 : x.value, x.error});
  }
  for (const auto& [id, settled] : settled_)
    if (value(id).value != settled) return false;
  std::erase_if(lossy_, [&](const auto& x) { return is_made(x.first); });
  for (const auto& [id, x] : now) {
    nodes_[id].value = x.value;
    if (x.value != 0.0 && nodes_[id].op == Op::constant) remember_error(id, x.error);
  }
  return true;
}

NodeId Graph::variable(Space space, std::int32_t base, std::int32_t stride, std::int32_t count) {
  Node n;
  n.op = Op::variable;
  n.space = space;
  n.count = stride == 0 ? 0 : count;
  n.a = static_cast<NodeId>(base);
  n.b = static_cast<NodeId>(stride);
  return intern(n);
}

NodeId Graph::index(std::int32_t base, std::int32_t stride, std::int32_t count) {
  if (stride == 0) return constant(base);
  Node n;
  n.op = Op::index;
  n.count = count;
  n.a = static_cast<NodeId>(base);
  n.b = static_cast<NodeId>(stride);
  return intern(n);
}

std::uint32_t Graph::add_table(std::vector<double> values) {
  for (std::uint32_t i = 0; i < tables_.size(); ++i)
    if (tables_[i] == values) return i;
  tables_.push_back(std::move(values));
  return static_cast<std::uint32_t>(tables_.size() - 1);
}

NodeId Graph::table(std::uint32_t number, std::int32_t base, std::int32_t stride, std::int32_t count) {
  if (stride == 0) return constant(tables_[number][static_cast<std::size_t>(base)]);
  Node n;
  n.op = Op::table;
  n.count = count;
  n.a = static_cast<NodeId>(base);
  n.b = static_cast<NodeId>(stride);
  n.c = number;
  return intern(n);
}

namespace {

// Is it constant from each of its points to the next?
bool is_stepwise(std::span<const double> table) {
  const std::size_t n = table.size() / 2;
  for (std::size_t i = 0; i + 1 < n; ++i)
    if (table[i + 1] > table[i] && table[n + i + 1] != table[n + i]) return false;
  return true;
}

}  // namespace

double look_up(std::span<const double> table, double x, bool slope) {
  const std::size_t n = table.size() / 2;
  const double *const at = table.data(), *const value = at + n;
  if (!(x >= at[0]) || !(x < at[n - 1])) {  // also when x is not a number
    if (x != x) return x;
    return slope ? 0.0 : value[x < at[0] ? 0 : n - 1];
  }
  const auto i = static_cast<std::size_t>(std::upper_bound(at, at + n, x) - at) - 1;
  const double rise = (value[i + 1] - value[i]) / (at[i + 1] - at[i]);
  return slope ? rise : value[i] + rise * (x - at[i]);
}

NodeId Graph::lookup(std::uint32_t table, NodeId a, bool slope) {
  const Node x = nodes_[a];
  if (slope && is_stepwise(tables_[table])) return zero();
  if (x.op == Op::constant) return constant(look_up(tables_[table], nodes_[settle(a)].value, slope));
  if (x.count != 0) throw NeedsUnrolling();
  Node n;
  n.op = slope ? Op::lookup_slope : Op::lookup;
  n.a = a;
  n.c = table;
  return intern(n);
}

NodeId Graph::unary(Op op, NodeId a) {
  const Node x = nodes_[a];
  if (x.op == Op::constant) return fold(op, a);
  if (op == Op::neg) {
    if (x.op == Op::neg) return x.a;
    if (x.op == Op::sub) return binary(Op::sub, x.b, x.a);
    if (x.op == Op::mul && is_constant(x.a)) return binary(Op::mul, fold(Op::neg, x.a), x.b);
  }
  if (x.op == Op::neg) {
    switch (op) {  // odd and even functions: sin(-x) = -sin(x), so both share one node
      case Op::sin:
      case Op::tan:
      case Op::asin:
      case Op::atan:
      case Op::sinh:
      case Op::tanh:
      case Op::sign: return unary(Op::neg, unary(op, x.a));
      case Op::cos:
      case Op::cosh:
      case Op::abs: return unary(op, x.a);
      default: break;
    }
  }
  Node n;
  n.op = op;
  n.count = x.count;
  n.a = a;
  return intern(n);
}

NodeId Graph::binary(Op op, NodeId a, NodeId b) {
  const Node x = nodes_[a], y = nodes_[b];
  const bool cx = x.op == Op::constant, cy = y.op == Op::constant;
  if (cx && cy) return fold(op, a, b);
  // Only numbers that are no parameters are treated in ways of their own.
  const bool fixed_x = cx && x.c == 0, fixed_y = cy && y.c == 0;
  switch (op) {
    case Op::add:
      if (cx && x.value == 0.0) return b;
      if (cy && y.value == 0.0) return a;
      if (y.op == Op::neg) return binary(Op::sub, a, y.a);
      if (x.op == Op::neg) return binary(Op::sub, b, x.a);
      if (a == b) return binary(Op::mul, constant(2.0), a);
      break;
    case Op::sub:
      if (cy && y.value == 0.0) return a;
      if (cx && x.value == 0.0) return unary(Op::neg, b);
      if (a == b) return zero();
      if (y.op == Op::neg) return binary(Op::add, a, y.a);
      if (x.op == Op::neg) return unary(Op::neg, binary(Op::add, x.a, b));
      break;
    case Op::mul:
      if (cy) return binary(Op::mul, b, a);  // a constant factor stands on the left
      if (cx) {
        if (x.value == 0.0) return a;
        if (fixed_x && x.value == 1.0) return b;
        if (fixed_x && x.value == -1.0) return unary(Op::neg, b);
        if (y.op == Op::neg) return binary(Op::mul, fold(Op::neg, a), y.a);
        if (y.op == Op::mul && is_constant(y.a)) return binary(Op::mul, fold(Op::mul, a, y.a), y.b);
      } else {
        if (x.op == Op::neg) return unary(Op::neg, binary(Op::mul, x.a, b));
        if (y.op == Op::neg) return unary(Op::neg, binary(Op::mul, a, y.a));
        // Two constant factors become one. A single one stays where it is: (h/2) v is one product when h/2 is shared.
        if (x.op == Op::mul && is_constant(x.a) && y.op == Op::mul && is_constant(y.a))
          return binary(Op::mul, fold(Op::mul, x.a, y.a), binary(Op::mul, x.b, y.b));
      }
      break;
    case Op::div:
      if (cx && x.value == 0.0) return a;
      if (fixed_y) {
        if (y.value == 1.0) return a;
        if (y.value == -1.0) return unary(Op::neg, a);
        // Exact when the divisor is a power of two; otherwise a quotient stays a quotient.
        int exponent = 0;
        if (std::frexp(y.value, &exponent) == 0.5 && exponent > -1000)
          return binary(Op::mul, constant(1.0 / y.value), a);
      }
      if (a == b) return one();
      if (x.op == Op::neg) return unary(Op::neg, binary(Op::div, x.a, b));
      if (y.op == Op::neg) return unary(Op::neg, binary(Op::div, a, y.a));
      break;
    case Op::pow:
      if (cy && !fixed_y) return binary(op, a, settle(b));
      if (cy) {
        const double e = y.value;
        if (e == 0.0) return one();
        if (e == 1.0) return a;
        if (e == 0.5) return unary(Op::sqrt, a);
        if (e == std::floor(e) && std::fabs(e) <= 32.0) {  // whole powers by repeated squaring
          if (e < 0.0) return binary(Op::div, one(), binary(Op::pow, a, constant(-e)));
          const int k = static_cast<int>(e);
          if (k % 2 == 1) return binary(Op::mul, binary(Op::pow, a, constant(e - 1.0)), a);
          const NodeId half = binary(Op::pow, a, constant(e / 2.0));
          return binary(Op::mul, half, half);
        }
      }
      if (fixed_x && x.value == 1.0) return a;
      break;
    case Op::min:
    case Op::max:
      if (a == b) return a;
      break;
    default: break;
  }
  if (x.count != 0 && y.count != 0 && x.count != y.count) throw NeedsUnrolling();
  Node n;
  n.op = op;
  n.count = std::max(x.count, y.count);
  n.a = a;
  n.b = b;
  if (commutes(op) && !cx && a > b) std::swap(n.a, n.b);
  return intern(n);
}

NodeId Graph::select(NodeId condition, NodeId yes, NodeId no) {
  if (is_constant(condition)) return nodes_[condition].value != 0.0 ? yes : no;
  if (yes == no) return yes;
  Node n;
  n.op = Op::select;
  for (const NodeId id : {condition, yes, no}) {
    const std::int32_t count = nodes_[id].count;
    if (count != 0 && n.count != 0 && count != n.count) throw NeedsUnrolling();
    n.count = std::max(n.count, count);
  }
  n.a = condition;
  n.b = yes;
  n.c = no;
  return intern(n);
}

NodeId Graph::sum(NodeId body, std::int32_t count) {
  const Node x = nodes_[body];
  if (count == 0) return zero();
  if (x.count == 0) return binary(Op::mul, constant(count), body);
  if (x.op == Op::neg) return unary(Op::neg, sum(x.a, count));
  // Factors that do not vary leave the loop.
  if (x.op == Op::mul && nodes_[x.a].count == 0) return binary(Op::mul, x.a, sum(x.b, count));
  if (x.op == Op::mul && nodes_[x.b].count == 0) return binary(Op::mul, x.b, sum(x.a, count));
  Node n;
  n.op = Op::sum;
  n.a = body;
  n.b = static_cast<NodeId>(count);
  return intern(n);
}

namespace {
Graph& graph_of(const Expr& a, const Expr& b) {
  if (a.graph() != nullptr && b.graph() != nullptr && a.graph() != b.graph())
    throw Error("an expression mixes variables of two different models");
  return *(a.graph() != nullptr ? a.graph() : b.graph());
}
}  // namespace

Expr Expr::make(Op op, const Expr& a) {
  if (a.graph_ == nullptr) return {apply(op, a.value_)};
  return {*a.graph_, a.graph_->unary(op, a.id_)};
}
Expr Expr::make(Op op, const Expr& a, const Expr& b) {
  if (a.graph_ == nullptr && b.graph_ == nullptr) return {apply(op, a.value_, b.value_)};
  Graph& g = graph_of(a, b);
  return {g, g.binary(op, a.id(g), b.id(g))};
}
Expr Expr::make_select(const Expr& condition, const Expr& yes, const Expr& no) {
  if (condition.graph_ == nullptr) return condition.value_ != 0.0 ? yes : no;
  Graph& g = *condition.graph_;
  return {g, g.select(condition.id_, yes.id(g), no.id(g))};
}

}  // namespace rattleback
