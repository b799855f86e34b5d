#include "model/grammar/expression.hpp"

#include "model/grammar/elaborate.hpp"
#include "model/grammar/kind_rules.hpp"
#include "model/written.hpp"
#include "rattleback/error.hpp"

namespace rattleback {
namespace {

using namespace front;

// A model from C++ has coordinates only.
World names_of(const Model& model, const Source& source) {
  World world(source, model.kind);
  world.coordinates = model.coordinates;
  world.algebraic = model.algebraic;
  const auto declare = [&](const Names& names, Thing thing) {
    for (std::size_t i = 0; i < names.groups().size(); ++i)
      world.declare(names.groups()[i].stem, thing, static_cast<std::int32_t>(i), 0);
  };
  declare(world.coordinates, Thing::coordinate);
  declare(world.algebraic, Thing::algebraic);
  return world;
}

}  // namespace

NodeId read_expression(const Model& model, Graph& graph, const std::string& option, const std::string& role,
                       const std::string& text, bool with_reactions) {
  if (text.empty())
    throw Error(option + ": " + role + " is empty. Write an expression, for example \"" +
                (model.coordinates.empty() ? "t - 1" : model.coordinates[0]) + "\"");
  const Source none("", "");
  const World* const written = world_of(model);
  World world = written != nullptr ? *written : names_of(model, none);  // a copy: reading evaluates parameters
  const Formula formula(option, role, text);
  const KindRules& rules = rules_of(model.kind);
  Elaborator e(world, graph, {.below = 0, .all = true});
  e.use(model.quasi.values, written != nullptr ? model.holonomic_names.size() - world.holonomic.size() : 0);
  return e.expression(formula, with_reactions ? rules.output : rules.expression);
}

}  // namespace rattleback
