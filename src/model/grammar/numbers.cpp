#include "model/grammar/numbers.hpp"

#include <cmath>
#include <utility>

#include "model/grammar/suggest.hpp"
#include "text/stack_room.hpp"

namespace rattleback::front {
namespace {

constexpr std::int64_t kMaxSteps = 30'000'000;  // operations of all starts together
// Bounds add up where errors would cancel: x[i] = 2*x[i-1] - x[i-2] gives 2.4^i ulps. Beyond so many ulps of the largest
// number in a formula, bounds of other starts are passed on as they are, and not enlarged.
constexpr double kMostUlps = 4096.0;
constexpr int kMostCalls = 200;  // of functions in functions

}  // namespace

bool is_degree(const Formula& f, const AstNode& node) {
  return f.name_of(node) == "deg" && node.first < 0 && !node.primed;
}

std::int32_t element_position(const Formula& f, const AstNode& node, const Names::Group& g, std::int64_t i,
                              const Scope& scope, std::int64_t k) {
  if (i < g.first || i >= static_cast<std::int64_t>(g.first) + g.count)
    f.fail(node, no_element(g.stem, i, std::to_string(g.first) + ":" + std::to_string(g.first + g.count - 1)) +
                     World::where(scope, k));
  return static_cast<std::int32_t>(g.offset + (i - g.first));
}

void check_indexed(const Formula& f, const AstNode& node, std::string_view name, bool family, std::int64_t from,
                   std::int64_t to) {
  if (family == (node.first >= 0)) return;
  const std::string n(name);
  if (family)
    f.fail(node,
           "`" + n + "` is a family, " + n + "[" + std::to_string(from) + ":" + std::to_string(to) +
               "], and needs an index",
           "Write " + n + "[i], or " + n + "[1]");
  f.fail(node, "`" + n + "` is not a family and takes no index");
}

std::string shown_value(const Formula& f, std::int32_t id, double value,
                        const std::function<double(std::int32_t)>& value_of) {
  const AstNode& node = f[id];
  std::string text =
      "`" + std::string(f.text_of(node).substr(0, 60)) + (node.end - node.begin > 60 ? "..." : "") + "` is ";
  if (node.kind == Ast::call) {
    std::string call = std::string(f.name_of(node)) + "(" + number_text(value_of(node.first));
    if (f[node.first].next >= 0) call += ", " + number_text(value_of(f[node.first].next));
    call += ")";
    if (call != f.text_of(node)) text += call + " = ";
  }
  return text + number_text(value);
}

Rounded Numbers::finite(const Formula& f, Scope& scope) {
  const double largest = std::exchange(largest_, 0.0), inherited = std::exchange(inherited_, 0.0);
  Rounded result = value(f, f.root, scope);
  if (const double most = kMostUlps * kUlp * largest_; result.error > most) {
    fresh_ = true;
    result.error = std::fmin(result.error, std::fmax(most, value(f, f.root, scope).error + inherited_));
    fresh_ = false;
  }
  largest_ = largest;
  inherited_ = inherited;
  if (std::isfinite(result.value)) return result;
  strict_ = true;
  (void)value(f, f.root, scope);
  f.fail(f[f.root], "the value " + number_text(result.value) + " is not finite" + World::where(scope, 0));
}

Rounded Numbers::value(const Formula& f, std::int32_t id, Scope& scope) {
  if (++steps_ > kMaxSteps)
    f.fail(f[f.root], "the values up to this one take more than " + std::to_string(kMaxSteps) + " operations");
  if (stack_is_short()) f.fail(f[id], std::string("values ") + kStackIsShort);
  Rounded result = combine(f, id, scope);
  largest_ = std::fmax(largest_, std::fabs(result.value));
  if (f[id].kind == Ast::reference) {
    inherited_ = std::fmax(inherited_, result.error);
    if (fresh_) result.error = kUlp * std::fabs(result.value);
  }
  if (strict_ && !std::isfinite(result.value)) {
    strict_ = false;
    f.fail(f[id], shown_value(f, id, result.value, [&](std::int32_t child) { return value(f, child, scope).value; }) +
                      ", not a finite number," + World::where(scope, 0));
  }
  return result;
}

Rounded Numbers::combine(const Formula& f, std::int32_t id, Scope& scope) {
  const AstNode& node = f[id];
  const auto child = [&](std::int32_t c) { return value(f, c, scope); };
  switch (node.kind) {
    case Ast::number: return Rounded::typed(node.value);
    case Ast::reference: return reference(f, node, scope);
    case Ast::negate: return apply(Op::neg, child(node.first));
    case Ast::chain: {
      Rounded a = child(node.first);
      for (std::int32_t c = f[node.first].next; c >= 0; c = f[c].next) a = apply(f[c].joined, a, child(c));
      return a;
    }
    case Ast::power: {
      const Rounded base = child(node.first);
      return apply(Op::pow, base, child(f[node.first].next));
    }
    case Ast::call: {
      const Rounded a = child(node.first);
      return apply(node.op, a, f[node.first].next >= 0 ? child(f[node.first].next) : Rounded{});
    }
    case Ast::compare: {
      const Rounded a = child(node.first);
      return apply(node.op, a, child(f[node.first].next));
    }
    case Ast::conditional: {
      const std::int32_t yes = f[node.first].next;
      return child(child(node.first).value != 0.0 ? yes : f[yes].next);
    }
    case Ast::apply: return own_function(f, node, scope);
    case Ast::sum: return sum(f, node, scope);
    case Ast::rate: f.fail(node, "dt(...) cannot occur", "Accepted here: " + rules_.accepts);
    case Ast::multiplier: f.fail(node, "lambda(...) cannot occur", "Accepted here: " + rules_.accepts);
  }
  return {};
}

Rounded Numbers::own_function(const Formula& f, const AstNode& node, Scope& scope) {
  const OwnFunction& called = world_.function(f, node);
  Scope inner;
  std::int32_t part = node.first;
  for (const std::string& name : called.arguments) {
    inner.arguments.push_back({name, &f, part, &scope, 0, value(f, part, scope)});
    part = f[part].next;
  }
  if (++calls_ > kMostCalls) f.fail(node, "function `" + called.name + "` calls itself");
  Rounded result;
  if (called.data) {
    Graph graph;
    const double at = inner.arguments[0].number.value;
    const auto there = [&](double x) { return graph[interpolated(graph, *called.data, graph.constant(x))].value; };
    const double x = there(at);
    result = {x, std::fabs(there(at * (1.0 + kUlp)) - x) + kUlp * std::fabs(x)};
  } else {
    result = value(*called.formula, called.formula->root, inner);
  }
  --calls_;
  return result;
}

Rounded Numbers::sum(const Formula& f, const AstNode& node, Scope& scope) {
  const std::int32_t to = f[node.first].next;
  const auto [lo, hi] = world_.range(f, node.first, to, scope);
  world_.check_index_name(f, node.name_begin, f.name_of(node), scope);
  scope.indices.push_back({f.name_of(node)});
  Rounded total;
  for (std::int64_t i = lo; i <= hi; ++i) {
    scope.indices.back().base = i;
    total = apply(Op::add, total, value(f, f[to].next, scope));
  }
  scope.indices.pop_back();
  return total;
}

Rounded Numbers::reference(const Formula& f, const AstNode& node, Scope& scope) {
  const std::string_view name = f.name_of(node);
  if (const Argument* a = World::find_argument(scope, name); a != nullptr && node.first < 0 && !node.primed)
    return a->number;
  if (const Index* i = World::find_index(scope, name); i != nullptr && node.first < 0 && !node.primed)
    return {static_cast<double>(i->base), 0.0};
  const Symbol* symbol = world_.find(name);
  const auto advice = [&] { return "Accepted here: " + rules_.accepts; };
  if (symbol == nullptr) {
    if (is_degree(f, node)) return {kDegree, kUlp * kDegree};
    if (name == "t") f.fail(node, "the time `t` cannot occur", advice());
    world_.unknown(f, node, rules_, scope);
  }
  if (symbol->thing == Thing::parameter) {
    const Parameter& p = world_.parameters[static_cast<std::size_t>(symbol->number)];
    if (node.primed) f.fail(node, "`" + p.name + "` is a parameter and has no velocity");
    check_indexed(f, node, name, p.array, 1, static_cast<std::int64_t>(p.formulas.size()));
    const std::size_t element =
        p.array ? world_.array_element(f, node, p, world_.integer(f, node.first, scope).base, scope, 0) : 0;
    return world_.parameter(symbol->number, element);
  }
  const bool state = symbol->thing == Thing::coordinate && rules_.positions;
  const bool velocity = symbol->thing == Thing::velocity && rules_.velocities;
  const bool quasi = symbol->thing == Thing::quasi && rules_.velocities;
  const bool algebraic = symbol->thing == Thing::algebraic && rules_.algebraic;
  if (!state && !algebraic && !velocity && !quasi)
    f.fail(node, "`" + std::string(name) + "` is " + world_.describe(*symbol) + ", which cannot occur", advice());
  if (node.primed && (!state || !rules_.velocities || !world_.facts().primed))
    f.fail(node, "`" + std::string(name) + "'` cannot occur", advice());
  const Names& names = state      ? world_.coordinates
                       : velocity ? world_.velocities
                       : quasi    ? world_.quasi
                                  : world_.algebraic;
  const Names::Group& g = names.groups()[static_cast<std::size_t>(symbol->number)];
  check_indexed(f, node, name, g.family, g.first, g.first + g.count - 1);
  const std::int32_t position =
      g.family ? element_position(f, node, g, world_.integer(f, node.first, scope).base, scope, 0) : g.offset;
  const Space unprimed = state ? kPosition : velocity ? kVelocity : kMultiplier;
  return variable_(node.primed ? kVelocity : unprimed, position);
}

}  // namespace rattleback::front
