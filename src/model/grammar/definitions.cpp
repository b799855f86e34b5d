// Named sub-expressions: elaborated when first used, once for each index map they are used with.
#include <algorithm>
#include <set>
#include <utility>

#include "expr/spaces.hpp"
#include "expr/traverse.hpp"
#include "model/grammar/circle.hpp"
#include "model/grammar/elaborate.hpp"
#include "model/grammar/kind_rules.hpp"
#include "model/grammar/numbers.hpp"
#include "rattleback/error.hpp"

namespace rattleback::front {
namespace {

constexpr int kMaxLevels = 1000;                // what is made of them later is as deep
constexpr std::size_t kLongChain = 100;         // definitions; shorter ones may as well be walked through
constexpr std::size_t kLongestChain = 200'000;  // more than the limits on nodes and steps would let pass

// What gives an element (any number where there is no family); nullptr when nothing does.
const DefinitionPiece* piece_at(const Definition& d, std::int64_t element) {
  if (!d.family) return &d.pieces.front();
  const auto after = std::upper_bound(d.pieces.begin(), d.pieces.end(), element,
                                      [](std::int64_t e, const DefinitionPiece& p) { return e < p.from; });
  return after != d.pieces.begin() && element <= (after - 1)->to ? &*(after - 1) : nullptr;
}

}  // namespace

// Arguments stand before their users in the graph, so each node is looked at once, however many definitions there are.
Elaborator::Contents Elaborator::contents_of(NodeId id) {
  for (NodeId k = static_cast<NodeId>(spaces_.size()); k < graph_.size(); ++k) {
    const Node& n = graph_[k];
    unsigned found = n.op == Op::variable ? 1U << n.space : 0U;
    for_each_argument(n, [&](NodeId below) { found |= spaces_[below]; });
    spaces_.push_back(found);
  }
  const auto has = [&](Space space) { return (spaces_[id] >> space & 1U) != 0; };
  const bool named = !world_.facts().primed;  // not lambda(...)
  return {has(kTime),        has(kPosition), has(kVelocity), named && has(kMultiplier), !named && has(kMultiplier),
          has(kAcceleration)};
}

const DefinitionPiece& Elaborator::piece(const Formula& f, const AstNode& node, const Definition& d, Affine i,
                                         const Scope& scope) const {
  const auto find = [&](std::int64_t element, std::int64_t k) -> const DefinitionPiece& {
    if (const DefinitionPiece* there = piece_at(d, element)) return *there;
    std::string ranges;
    for (const DefinitionPiece& p : d.pieces)
      ranges += (ranges.empty() ? "" : ", ") + std::to_string(p.from) + ":" + std::to_string(p.to);
    f.fail(node, no_element(d.name, element, ranges) + World::where(scope, k));
  };
  const DefinitionPiece& first = find(i.base, 0);
  if (i.stride == 0) return first;
  if (&first != &find(i.base + i.stride * (scope.loop - 1), scope.loop - 1)) throw NotALoop();
  return first;
}

void Elaborator::depends_on_itself(const Formula& f, const AstNode& node, const std::vector<Use>& circle) const {
  std::vector<std::string> names;
  for (const Use& u : circle) {
    const Definition& d = world_.definitions[static_cast<std::size_t>(std::get<0>(u))];
    names.push_back(d.family ? element_name(d.name, std::get<1>(u)) : d.name);
  }
  f.fail(node, "definition `" + names.front() + "` depends on itself: " + circle_text(names));
}

// Definitions that the formula of a use refers to by name.
std::vector<Elaborator::Use> Elaborator::uses_in(const Use& use) const {
  const Definition& d = world_.definitions[static_cast<std::size_t>(std::get<0>(use))];
  const std::int64_t element = std::get<1>(use);
  std::vector<Use> out;
  const DefinitionPiece* const p = piece_at(d, element);
  if (p == nullptr) return out;
  Scope scope;
  if (!p->index.empty()) scope.indices.push_back({p->index, element});
  for (const std::int32_t id : references(p->formula, false)) {
    const AstNode& node = p->formula[id];
    const Symbol* const symbol = world_.find(p->formula.name_of(node));
    if (symbol == nullptr || symbol->thing != Thing::definition) continue;
    const Definition& other = world_.definitions[static_cast<std::size_t>(symbol->number)];
    if (other.family == (node.first < 0)) continue;
    try {
      const std::int64_t i = other.family ? world_.integer(p->formula, node.first, scope).base : 0;
      if (piece_at(other, i) != nullptr) out.emplace_back(symbol->number, i, 0, 0);
    } catch (const Error&) {  // an index that is wrong is reported when it is used
    }
  }
  return out;
}

// The expression of a use, with whatever it refers to.
const Elaborator::Defined& Elaborator::define(const Use& use) {
  const auto [number, base, stride, loop] = use;
  const Definition& d = world_.definitions[static_cast<std::size_t>(number)];
  const DefinitionPiece& p = *piece_at(d, base);
  in_progress_.push_back(use);
  struct Done {
    Elaborator& e;
    ~Done() {
      e.in_progress_.pop_back();
      if (e.in_progress_.empty()) e.chain_is_clear_ = true;
    }
  } done{*this};
  Scope inner;
  if (!p.index.empty()) inner.indices.push_back({p.index, base, stride});
  inner.loop = loop;
  Defined result;
  const int before = std::exchange(levels_, 0);
  result.node = part(p.formula, p.formula.root, rules_of(world_.kind).definition, inner);
  result.levels = std::exchange(levels_, before) + 1;
  if (result.levels > kMaxLevels)
    p.formula.fail(p.formula[p.formula.root],
                   "definitions within definitions more than " + std::to_string(kMaxLevels) + " levels deep",
                   "Write a recursion over a family as sum(i = 1:N, ...)");
  result.contents = contents_of(result.node);
  return defined_.emplace(use, result).first->second;
}

// Defines what a use refers to, the innermost first and without recursion, so that a long chain of definitions does not
// use the stack. What cannot be found by names alone, circles and faults are left for those who meet them in their order.
void Elaborator::define_below(const Use& top) {
  struct Visit {
    Use use;
    std::vector<Use> below;
    std::size_t next = 0;
  };
  if (std::get<3>(top) != 0 || !chain_is_clear_) return;
  const auto in_a_loop = [&](const Use& use) {  // may have to be unrolled
    return std::any_of(in_progress_.begin(), in_progress_.end(), [&](const Use& open) {
      return std::get<3>(open) != 0 && std::get<0>(open) == std::get<0>(use);
    });
  };
  std::set<Use> seen = {top};
  std::vector<Visit> path;
  path.push_back({top, uses_in(top)});
  try {
    while (path.size() > 1 || path.back().next < path.back().below.size()) {
      Visit& v = path.back();
      if (v.next == v.below.size()) {
        if (!defined_.contains(v.use)) (void)define(v.use);
        path.pop_back();
        continue;
      }
      const Use use = v.below[v.next++];
      if (defined_.contains(use)) continue;
      chain_is_clear_ = seen.insert(use).second && !in_a_loop(use) && path.size() < kLongestChain;
      if (!chain_is_clear_) return;
      path.push_back({use, uses_in(use)});
    }
  } catch (const Error&) {
    if (path.size() > kLongChain) throw;  // far from here: those in between could not get there
  }
}

NodeId Elaborator::definition(const Formula& f, const AstNode& node, const Symbol& symbol, Scope& scope) {
  const Definition& d = world_.definitions[static_cast<std::size_t>(symbol.number)];
  if (d.family && node.first < 0)
    f.fail(node, "`" + d.name + "` is a family of definitions and needs an index",
           "Write " + d.name + "[i], or " + d.name + "[1]");
  if (!d.family && node.first >= 0) f.fail(node, "`" + d.name + "` is not a family and takes no index");
  if (!rules_->definitions) forbidden(f, node, "`" + d.name + "` is a definition");
  const Affine i = d.family ? world_.integer(f, node.first, scope) : Affine{};
  if (d.family) (void)piece(f, node, d, i, scope);  // refuses what no piece gives
  const Use use{symbol.number, i.base, i.stride, i.stride != 0 ? scope.loop : 0};

  auto found = defined_.find(use);
  if (found == defined_.end()) {
    for (auto it = in_progress_.begin(); it != in_progress_.end(); ++it) {
      if (std::get<0>(*it) != symbol.number) continue;
      // A family that refers to its own members: as a recursion it has to be unrolled.
      if (std::get<3>(*it) != 0 || std::get<3>(use) != 0) throw NotALoop();
      if (*it != use) continue;
      depends_on_itself(f, node, {it, in_progress_.end()});
    }
    define_below(use);
    found = defined_.find(use);
  }
  const Defined& result = found == defined_.end() ? define(use) : found->second;
  levels_ = std::max(levels_, result.levels);
  const Contents& c = result.contents;
  const auto check = [&](bool there, bool allowed, const char* what) {
    if (there && !allowed) forbidden(f, node, "definition `" + d.name + "` contains " + what);
  };
  check(c.velocities, rules_->velocities, "velocities");
  check(c.multipliers, rules_->multipliers, "multipliers");
  check(c.accelerations, rules_->accelerations, "accelerations");
  check(c.algebraic, rules_->algebraic, (world_.noun(Thing::algebraic) + "s").c_str());
  check(c.positions, rules_->positions, (world_.noun(Thing::coordinate) + "s").c_str());
  check(c.time, rules_->time, "the time");
  return result.node;
}

void Elaborator::check_definitions() {
  const Rules& rules = rules_of(world_.kind).definition;
  for (const OwnFunction& own : world_.functions) {
    if (!own.formula) continue;
    const Formula& f = *own.formula;
    for (const std::int32_t id : references(f, false)) {
      const std::string_view name = f.name_of(f[id]);
      const bool known = name == "t" || is_degree(f, f[id]) || world_.find(name) != nullptr ||
                         std::find(own.arguments.begin(), own.arguments.end(), name) != own.arguments.end();
      if (!known) world_.unknown(f, f[id], rules, {});
    }
  }
  for (const Definition& d : world_.definitions) {
    for (const DefinitionPiece& p : d.pieces) {
      if (!d.family) {
        (void)expression(p.formula, rules);
        continue;
      }
      const auto count = static_cast<std::int32_t>(p.to - p.from + 1);
      if (count <= 0) continue;
      if (count > 1 && !p.index.empty()) {
        try {
          (void)part(p.formula, p.formula.root, rules, Scope{{{p.index, p.from, 1}}, count});
          continue;
        } catch (const NotALoop&) {
        }
      }
      for (const std::int64_t i : {p.from, p.to}) {
        Scope scope;
        if (!p.index.empty()) scope.indices.push_back({p.index, i, 0});
        (void)part(p.formula, p.formula.root, rules, scope);
      }
    }
  }
}

}  // namespace rattleback::front
