// What a model says of itself: quantities that are kept, and vector fields on positions that may be the reason.
//
//   [invariants]
//   spin = "x*y' - y*x'"
//   [symmetries.turn]     # q' = xi(q); a coordinate that is absent stays where it is
//   x = "-y"
//   y = "x"
#include <fmt/format.h>

#include "model/reader.hpp"

namespace rattleback::front {

namespace rules {
const Rules kSymmetry{.positions = true,
                      .definitions = true,
                      .accepts =
                          "coordinates, parameters and definitions of these: a symmetry moves positions, whatever "
                          "the time and the velocities"};
}  // namespace rules

namespace {

// A name that nothing else in the model has: columns, plots and keys are called by it.
std::string new_name(World& world, const Value& v, Thing thing, std::size_t number) {
  const std::string what = "the name of " + world.describe({thing});
  const KeyPattern k = parse_key(world.source, v.key_offset, what, v.key);
  if (k.indexed || k.primed) world.source.fail(v.key_offset, what + " has no index and no ', found `" + v.key + "`");
  world.declare(k.stem, thing, static_cast<std::int32_t>(number), v.key_offset);
  return k.stem;
}

}  // namespace

void read_invariants(ModelText& text, Reader& reader, const Value& document) {
  const Value* table = reader.table(document, "invariants", "invariants");
  if (table == nullptr) return;
  for (const Value& v : table->items) {
    std::string name = new_name(text.world, v, Thing::invariant, text.invariants.size());
    text.invariants.push_back({name, reader.formula(v, "the invariant `" + name + "`")});
  }
}

void read_symmetries(ModelText& text, Reader& reader, const Value& document) {
  World& world = text.world;
  const Value* table = reader.table(document, "symmetries", "symmetries.NAME");
  if (table == nullptr) return;
  for (const Value& v : table->items) {
    const std::string path = "[symmetries." + v.key + "]";
    const std::string example = ". Write " + path + " and below it, for example, " + world.coordinates[0] + " = \"1\"";
    if (!v.is_table())
      world.source.fail(v.key_offset,
                        "expected a table for symmetry `" + v.key + "`, found " + describe(v.type) + example);
    std::string name = new_name(text.world, v, Thing::symmetry, text.symmetries.size());
    if (v.items.empty()) world.source.fail(v.key_offset, fmt::format("{} moves no coordinate{}", path, example));
    text.symmetries.push_back({std::move(name), reader.lines_by_variable(v, path, world.coordinates, Thing::coordinate,
                                                                         "symmetry `" + v.key + "` of")});
  }
}

void refuse_symmetries(const World& world, const Value& document) {
  const Value* table = document.find("symmetries");
  if (table == nullptr || world.facts().lagrangian) return;
  world.source.fail(table->key_offset, std::string("[symmetries] are vector fields that a Lagrangian may be invariant "
                                                   "under, and a system of kind ") +
                                           to_string(world.kind) +
                                           " has none. What it keeps is written in [invariants]");
}

}  // namespace rattleback::front
