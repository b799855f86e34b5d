// Named sub-expressions: elaborated when first used, once for each index map they are used with.
#include <algorithm>

#include "model/circle.hpp"
#include "model/elaborate.hpp"
#include "model/numbers.hpp"
#include "rattleback/error.hpp"

namespace rattleback::front {
namespace {

const Rules& definition_rules(Kind kind) {
  static const Rules mechanical{.time = true,
                                .positions = true,
                                .velocities = true,
                                .multipliers = true,
                                .definitions = true,
                                .accepts = "t, coordinates, velocities, parameters and other definitions"};
  static const Rules dae{.time = true,
                         .positions = true,
                         .algebraic = true,
                         .definitions = true,
                         .accepts = "t, states, algebraic variables, parameters and other definitions"};
  static const Rules odae{.time = true,
                          .positions = true,
                          .velocities = true,
                          .algebraic = true,
                          .definitions = true,
                          .accepts = "t, positions, velocities, multipliers, parameters and other definitions"};
  static const Rules states{
      .time = true, .positions = true, .definitions = true, .accepts = "t, states, parameters and other definitions"};
  switch (kind) {
    case Kind::mechanical: return mechanical;
    case Kind::dae: return dae;
    case Kind::odae: return odae;
    case Kind::skew_gradient:
    case Kind::port_hamiltonian: break;
  }
  return states;
}

}  // namespace

Elaborator::Contents Elaborator::contents_of(NodeId id) const {
  const auto has = [&](Space space) { return depends_on(graph_, std::span(&id, 1), space); };
  const bool mechanical = world_.kind == Kind::mechanical;
  return {has(kTime), has(kPosition), has(kVelocity), !mechanical && has(kMultiplier), mechanical && has(kMultiplier)};
}

const DefinitionPiece& Elaborator::piece(const Formula& f, const AstNode& node, const Definition& d, Affine i,
                                         const Scope& scope) const {
  const auto find = [&](std::int64_t element, std::int64_t k) -> const DefinitionPiece& {
    const auto after = std::upper_bound(d.pieces.begin(), d.pieces.end(), element,
                                        [](std::int64_t e, const DefinitionPiece& p) { return e < p.from; });
    if (after != d.pieces.begin() && element <= (after - 1)->to) return *(after - 1);
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
  for (const DefinitionPiece& p : d.pieces) {
    if (d.family && (element < p.from || element > p.to)) continue;
    Scope scope;
    if (!p.index.empty()) scope.indices.push_back({p.index, element});
    for (const std::int32_t id : references(p.formula, false)) {
      const AstNode& node = p.formula[id];
      const Symbol* const symbol = world_.find(p.formula.name_of(node));
      if (symbol == nullptr || symbol->thing != Thing::definition) continue;
      const bool family = world_.definitions[static_cast<std::size_t>(symbol->number)].family;
      if (family == (node.first < 0)) continue;
      try {
        out.emplace_back(symbol->number, family ? world_.integer(p.formula, node.first, scope).base : 0, 0, 0);
      } catch (const Error&) {  // an index that is wrong is reported when it is used
      }
    }
  }
  return out;
}

NodeId Elaborator::definition(const Formula& f, const AstNode& node, const Symbol& symbol, Scope& scope) {
  const Definition& d = world_.definitions[static_cast<std::size_t>(symbol.number)];
  if (d.family && node.first < 0)
    f.fail(node, "`" + d.name + "` is a family of definitions and needs an index",
           "Write " + d.name + "[i], or " + d.name + "[1]");
  if (!d.family && node.first >= 0) f.fail(node, "`" + d.name + "` is not a family and takes no index");
  if (!rules_->definitions) forbidden(f, node, "`" + d.name + "` is a definition");
  const Affine i = d.family ? world_.integer(f, node.first, scope) : Affine{};
  const DefinitionPiece& p = d.family ? piece(f, node, d, i, scope) : d.pieces.front();
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
    in_progress_.push_back(use);
    struct Done {
      std::vector<Use>& stack;
      ~Done() { stack.pop_back(); }
    } done{in_progress_};
    Scope inner;
    if (!p.index.empty()) inner.indices.push_back({p.index, i.base, i.stride});
    inner.loop = std::get<3>(use);
    Defined result;
    result.node = part(p.formula, p.formula.root, definition_rules(world_.kind), inner);
    result.contents = contents_of(result.node);
    found = defined_.emplace(use, result).first;
  }

  const Contents& c = found->second.contents;
  const auto check = [&](bool there, bool allowed, const char* what) {
    if (there && !allowed) forbidden(f, node, "definition `" + d.name + "` contains " + what);
  };
  check(c.velocities, rules_->velocities, "velocities");
  check(c.multipliers, rules_->multipliers, "multipliers");
  check(c.algebraic, rules_->algebraic, world_.kind == Kind::odae ? "multipliers" : "algebraic variables");
  check(c.positions, rules_->positions, (world_.noun(Thing::coordinate) + "s").c_str());
  check(c.time, rules_->time, "the time");
  return found->second.node;
}

void Elaborator::check_definitions() {
  const Rules& rules = definition_rules(world_.kind);
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
