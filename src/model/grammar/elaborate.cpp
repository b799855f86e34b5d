#include "model/grammar/elaborate.hpp"

#include <algorithm>

#include "expr/spaces.hpp"
#include "model/grammar/circle.hpp"
#include "model/grammar/kind_rules.hpp"
#include "model/grammar/numbers.hpp"
#include "model/grammar/suggest.hpp"
#include "rattleback/error.hpp"
#include "text/stack_room.hpp"

namespace rattleback::front {
namespace {

constexpr int kMaxDepth = 2000;                // of expressions within definitions within expressions ...
constexpr std::int64_t kMaxSteps = 2'000'000;  // parts visited, unrolled ones counted each time
constexpr std::size_t kMaxNodes = 2'000'000;

// Restores a value when a scope ends, also by an exception.
template <class T>
class Restore {
 public:
  explicit Restore(T& target) : target_(target), value_(target) {}
  Restore(const Restore&) = delete;
  Restore& operator=(const Restore&) = delete;
  ~Restore() { target_ = value_; }

 private:
  T& target_;
  T value_;
};

}  // namespace

NodeId Elaborator::expression(const Formula& f, const Rules& rules) { return part(f, f.root, rules, {}); }

NodeId Elaborator::part(const Formula& f, std::int32_t node, const Rules& rules, Scope scope) {
  const Restore<const Rules*> keep(rules_);
  rules_ = &rules;
  return walk(f, node, scope);
}

void Elaborator::line(const Line& line, const Rules& rules, Entries& out) {
  const auto add = [&](NodeId expr, std::int32_t count, std::int64_t row, std::int32_t stride) {
    if (!graph_.is_constant(expr, 0.0)) out.push_back({expr, count, {static_cast<std::int32_t>(row), stride}, {}});
  };
  const Formula& f = line.formula;
  if (line.index.empty()) {
    add(expression(f, rules), 0, line.row, 0);
    return;
  }
  const auto count = static_cast<std::int32_t>(line.count());
  if (count > 0 && wants_loop(count)) {
    try {
      Scope scope{{{line.index, line.from, 1}}, count};
      add(part(f, f.root, rules, scope), count, line.row, 1);
      has_loops_ = true;
      return;
    } catch (const NotALoop&) {
    }
  }
  for (std::int64_t i = line.from; i <= line.to; ++i)
    add(part(f, f.root, rules, Scope{{{line.index, i, 0}}, 0}), 0, line.row + (i - line.from), 0);
}

void Elaborator::forbidden(const Formula& f, const AstNode& node, const std::string& what) const {
  f.fail(node, what + ", which cannot occur", "Accepted here: " + rules_->accepts);
}

NodeId Elaborator::walk(const Formula& f, std::int32_t id, Scope& scope) {
  const Restore<int> keep(depth_);
  const bool short_of_stack = stack_is_short();
  if (++depth_ > kMaxDepth || short_of_stack) {
    if (!in_progress_.empty()) {
      const auto circle = find_circle<Use>(in_progress_.back(), [this](const Use& u) { return uses_in(u); });
      if (!circle.empty()) depends_on_itself(f, f[id], circle);
    }
    if (short_of_stack) f.fail(f[id], std::string("definitions ") + kStackIsShort);
    f.fail(f[id], "definitions within definitions more than " + std::to_string(kMaxDepth) + " levels deep",
           "Write a recursion over a family as sum(i = 1:N, ...)");
  }
  if (++steps_ > kMaxSteps || graph_.size() > kMaxNodes)
    f.fail(f[f.root],
           "the families and sums unroll to more than " +
               (steps_ > kMaxSteps ? std::to_string(kMaxSteps) : std::to_string(kMaxNodes)) + " operations",
           "A sum over one index, with indices like i or 2*i+1, needs no unrolling");
  return combine(f, f[id], scope);
}

NodeId Elaborator::combine(const Formula& f, const AstNode& node, Scope& scope) {
  const std::int32_t first = node.first;
  const auto second = [&] { return f[first].next; };
  switch (node.kind) {
    case Ast::number: return graph_.constant(node.value);
    case Ast::reference: return reference(f, node, scope);
    case Ast::negate: return graph_.neg(walk(f, first, scope));
    case Ast::chain: {
      NodeId a = walk(f, first, scope);
      for (std::int32_t c = second(); c >= 0; c = f[c].next) a = graph_.binary(f[c].joined, a, walk(f, c, scope));
      return a;
    }
    case Ast::power:
    case Ast::compare:
    case Ast::call: {
      const NodeId a = walk(f, first, scope);
      if (second() < 0) return graph_.unary(node.op, a);
      return graph_.binary(node.kind == Ast::power ? Op::pow : node.op, a, walk(f, second(), scope));
    }
    case Ast::conditional: {
      const NodeId condition = walk(f, first, scope);
      const NodeId yes = walk(f, second(), scope);
      return graph_.select(condition, yes, walk(f, f[second()].next, scope));
    }
    case Ast::apply: return own_function(f, node, scope);
    case Ast::sum: return sum(f, node, scope);
    case Ast::rate: return rate(f, node, scope);
    case Ast::multiplier: return multiplier(f, node, scope);
  }
  return graph_.zero();
}

NodeId Elaborator::reference(const Formula& f, const AstNode& node, Scope& scope) {
  const std::string_view name = f.name_of(node);
  const auto quoted = [&] { return "`" + std::string(name) + "`"; };
  if (const Argument* const a = World::find_argument(scope, name)) {
    if (node.first >= 0 || node.primed) f.fail(node, quoted() + " is an argument, a plain value");
    if (a->hidden && graph_[a->node].count != 0) throw NotALoop();
    return a->node;
  }
  if (const Index* i = World::find_index(scope, name)) {
    if (node.first >= 0 || node.primed) f.fail(node, quoted() + " is an index, a plain number");
    if (i->hidden) throw NotALoop();
    if (i->stride == 0) return graph_.constant(static_cast<double>(i->base));
    return graph_.index(static_cast<std::int32_t>(i->base), static_cast<std::int32_t>(i->stride), scope.loop);
  }
  if (name == "t") {
    if (node.first >= 0 || node.primed) f.fail(node, "`t` is the time, a plain number");
    if (!rules_->time) forbidden(f, node, "the time `t`");
    return graph_.variable(kTime, 0);
  }
  const Symbol* symbol = world_.find(name);
  if (symbol == nullptr && is_degree(f, node)) return graph_.constant(kDegree);
  if (symbol == nullptr) world_.unknown(f, node, *rules_, scope);
  if (node.primed && symbol->thing != Thing::coordinate)
    f.fail(node, quoted() + " is " + world_.describe(*symbol) + " and has no velocity",
           symbol->thing == Thing::definition ? "The time derivative of an expression is dt(" + std::string(name) + ")"
                                              : "");
  switch (symbol->thing) {
    case Thing::parameter: return parameter(f, node, *symbol, scope);
    case Thing::coordinate:
    case Thing::velocity:
    case Thing::algebraic: return variable(f, node, *symbol, scope);
    case Thing::definition: return definition(f, node, *symbol, scope);
    case Thing::quasi:
      if (!rules_->velocities && !rules_->quasi) forbidden(f, node, quoted() + " is a quasi-velocity");
      if (node.first >= 0) f.fail(node, quoted() + " is not a family and takes no index");
      if (quasi_.empty()) forbidden(f, node, quoted() + " is a quasi-velocity");
      return quasi_[static_cast<std::size_t>(symbol->number)];
    case Thing::function:
      f.fail(node, quoted() + " is a function and needs its arguments",
             "Write " + std::string(name) + "(" +
                 listed(world_.functions[static_cast<std::size_t>(symbol->number)].arguments) + ")");
    case Thing::constraint:
      f.fail(node, quoted() + " is a constraint, not a value",
             rules_->multipliers ? "Its multiplier is lambda(" + std::string(name) + ")" : "");
    case Thing::port:
    case Thing::invariant:
    case Thing::symmetry: f.fail(node, quoted() + " is " + world_.describe(*symbol) + ", not a value");
  }
  return graph_.zero();
}

NodeId Elaborator::parameter(const Formula& f, const AstNode& node, const Symbol& symbol, Scope& scope) {
  const Parameter& p = world_.parameters[static_cast<std::size_t>(symbol.number)];
  check_indexed(f, node, p.name, p.array, 1, static_cast<std::int64_t>(p.formulas.size()));
  const auto input = [&](std::size_t element) {
    const World::Use asking = world_.asking();
    if (asking != World::Use::none) world_.set_asking(World::Use::inputs);
    const Rounded x = world_.parameter(symbol.number, element);
    world_.set_asking(asking);
    return graph_.parameter(static_cast<std::uint32_t>(world_.place(symbol.number, element)), x.value, x.error);
  };
  if (!p.array) return input(0);
  const Affine i = world_.integer(f, node.first, scope);
  const std::size_t at = world_.array_element(f, node, p, i.base, scope, 0);
  if (i.stride == 0) return input(at);
  (void)world_.array_element(f, node, p, i.base + i.stride * (scope.loop - 1), scope, scope.loop - 1);
  // Tables of families have their values for good.
  for (std::size_t e = 0; e < p.formulas.size(); ++e) (void)graph_.settle(input(e));
  return graph_.table(graph_.add_table(p.values), static_cast<std::int32_t>(i.base - 1),
                      static_cast<std::int32_t>(i.stride), scope.loop);
}

NodeId Elaborator::element(const Formula& f, const AstNode& node, const Names::Group& g, Space space, Scope& scope) {
  check_indexed(f, node, g.stem, g.family, g.first, g.first + g.count - 1);
  if (!g.family) return graph_.variable(space, g.offset);
  const Affine i = world_.integer(f, node.first, scope);
  const std::int32_t base = element_position(f, node, g, i.base, scope, 0);
  if (i.stride == 0) return graph_.variable(space, base);
  (void)element_position(f, node, g, i.base + i.stride * (scope.loop - 1), scope, scope.loop - 1);
  return graph_.variable(space, base, static_cast<std::int32_t>(i.stride), scope.loop);
}

NodeId Elaborator::variable(const Formula& f, const AstNode& node, const Symbol& symbol, Scope& scope) {
  const bool state = symbol.thing == Thing::coordinate;
  const auto quoted = [&] { return "`" + std::string(f.text_of(node)) + "`"; };
  if (node.primed && !world_.facts().primed)
    f.fail(node, quoted() + " is a derivative" + rules_of(world_.kind).primed, "Accepted here: " + rules_->accepts);
  if (symbol.thing == Thing::velocity) {
    if (!rules_->velocities) forbidden(f, node, quoted() + " is a velocity");
    return element(f, node, world_.velocities.groups()[static_cast<std::size_t>(symbol.number)], kVelocity, scope);
  }
  if (node.twice && !rules_->accelerations) forbidden(f, node, quoted() + " is an acceleration");
  if (node.primed && !rules_->velocities) forbidden(f, node, quoted() + " is a velocity");
  if (state && !node.primed && !rules_->positions) forbidden(f, node, quoted() + " is " + world_.describe(symbol));
  if (!state && !rules_->algebraic) forbidden(f, node, quoted() + " is " + world_.describe(symbol));
  const Names& names = state ? world_.coordinates : world_.algebraic;
  const Space space = !state ? kMultiplier : node.twice ? kAcceleration : node.primed ? kVelocity : kPosition;
  return element(f, node, names.groups()[static_cast<std::size_t>(symbol.number)], space, scope);
}

// What a function is of its arguments, where it is called.
NodeId Elaborator::own_function(const Formula& f, const AstNode& node, Scope& scope) {
  const OwnFunction& called = world_.function(f, node);
  if (const auto begin = std::find(calling_.begin(), calling_.end(), &called); begin != calling_.end()) {
    std::vector<std::string> names;
    for (auto it = begin; it != calling_.end(); ++it) names.push_back((*it)->name);
    f.fail(node, "function `" + called.name + "` calls itself: " + circle_text(names),
           "Write a recursion over a family as sum(i = 1:N, ...)");
  }
  Scope inner{.indices = {}, .loop = scope.loop};
  std::int32_t part = node.first;
  for (const std::string& name : called.arguments) {
    inner.arguments.push_back({name, &f, part, &scope, walk(f, part, scope)});
    part = f[part].next;
  }
  if (called.data) return data(called.data, inner.arguments[0].node);
  calling_.push_back(&called);
  struct Done {
    Elaborator& e;
    ~Done() { e.calling_.pop_back(); }
  } done{*this};
  return walk(*called.formula, called.formula->root, inner);
}

NodeId Elaborator::data(const std::shared_ptr<const DataTable>& table, NodeId at) {
  const bool known = std::any_of(data_uses_.begin(), data_uses_.end(),
                                 [&](const DataUse& use) { return use.table == table && use.at == at; });
  if (!known) data_uses_.push_back({table, at});
  return interpolated(graph_, *table, at);
}

NodeId Elaborator::multiplier(const Formula& f, const AstNode& node, Scope& scope) {
  const std::string name(f.name_of(node));
  if (const std::string why = rules_of(world_.kind).lambda; !why.empty())
    f.fail(
        node, why,
        "Multipliers: " + listed(world_.algebraic.size() < 50 ? world_.algebraic.all() : std::vector<std::string>{}));
  if (!rules_->multipliers || rules_->quasi)
    f.fail(node, "lambda(...) cannot occur", "Multipliers are accepted in [forces] and in definitions used there");
  const auto find = [&](const Names& names, std::int32_t offset) -> std::optional<NodeId> {
    const Names::Group* last = nullptr;
    for (const Names::Group& g : names.groups()) {
      if (g.stem != name) continue;
      last = &g;
      if (!g.family || node.first < 0) break;
      const Affine i = world_.integer(f, node.first, scope);
      const std::int64_t end = i.base + i.stride * (std::max(scope.loop, 1) - 1);
      const auto inside = [&](std::int64_t k) { return k >= g.first && k < g.first + g.count; };
      if (inside(i.base) && inside(end)) break;
      if (inside(i.base) || inside(end)) throw NotALoop();  // a family in pieces that do not join
    }
    if (last == nullptr) return {};
    Names::Group shifted = *last;
    shifted.offset += offset;
    return element(f, node, shifted, kMultiplier, scope);
  };
  if (const auto found = find(world_.holonomic, 0)) return *found;
  if (const auto found = find(world_.nonholonomic, world_.holonomic.size() + kept_)) return *found;
  std::vector<std::string> all;
  for (const Names* names : {&world_.holonomic, &world_.nonholonomic})
    for (const Names::Group& g : names->groups()) all.push_back(g.stem);
  f.fail(node.name_begin, "unknown constraint `" + name + "`", did_you_mean(name, all) + "Constraints: " + listed(all));
}

NodeId Elaborator::rate(const Formula& f, const AstNode& node, Scope& scope) {
  if (const std::string why = rules_of(world_.kind).rate; !why.empty()) f.fail(node, why);
  if (!rules_->velocities) forbidden(f, node, "dt(...) is a velocity");
  const NodeId inner = walk(f, node.first, scope);
  const Contents c = contents_of(inner);
  if (c.velocities || c.multipliers || c.accelerations)
    f.fail(node,
           std::string("dt(f) of an expression with ") + (c.velocities    ? "velocities"
                                                          : c.multipliers ? "multipliers"
                                                                          : "accelerations"),
           "dt(f) is the time derivative of an expression of t and the coordinates");
  return total_time_derivative(graph_, inner);
}

NodeId Elaborator::sum(const Formula& f, const AstNode& node, Scope& scope) {
  const std::int32_t to = f[node.first].next, body = f[to].next;
  const auto [lo, hi] = world_.range(f, node.first, to, scope);
  const std::string_view name = f.name_of(node);
  world_.check_index_name(f, node.name_begin, name, scope);
  const std::int64_t count = hi - lo + 1;
  if (count > 0 && wants_loop(count)) {
    try {
      Scope inner = scope;
      for (Index& i : inner.indices) i.hidden = i.hidden || i.stride != 0;
      for (Argument& a : inner.arguments) a.hidden = true;
      inner.indices.push_back({name, lo, 1});
      inner.loop = static_cast<std::int32_t>(count);
      const NodeId term = walk(f, body, inner);
      has_loops_ = true;
      return graph_.sum(term, inner.loop);
    } catch (const NotALoop&) {
    }
  }
  NodeId total = graph_.zero();
  Scope inner = scope;
  inner.indices.push_back({name, lo, 0});
  for (std::int64_t i = lo; i <= hi; ++i) {
    inner.indices.back().base = i;
    total = graph_.add(total, walk(f, body, inner));
  }
  return total;
}

}  // namespace rattleback::front
