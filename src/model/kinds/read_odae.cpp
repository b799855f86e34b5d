// The tables of an overdetermined system: y' = v(y, z), z' = f(y, z) + r(y, z, psi), 0 = g(y).
#include <algorithm>

#include "model/grammar/suggest.hpp"
#include "model/reader.hpp"

namespace rattleback::front {

namespace rules {
const Rules kOdaeRate{.time = true,
                      .positions = true,
                      .velocities = true,
                      .definitions = true,
                      .accepts =
                          "t, positions, velocities, parameters and definitions of these. What contains multipliers "
                          "belongs in [r]"};
const Rules kOdaeReaction{.time = true,
                          .positions = true,
                          .velocities = true,
                          .algebraic = true,
                          .definitions = true,
                          .accepts = "t, positions, velocities, multipliers, parameters and definitions"};
const Rules kOdaeConstraint{.time = true,
                            .positions = true,
                            .definitions = true,
                            .accepts =
                                "t, positions, parameters and definitions of these: the velocity level follows by "
                                "differentiation"};
}  // namespace rules

namespace {

const Value& names_of(const World& world, const Value& document, const std::string& key, const std::string& example) {
  const Value* v = document.find(key);
  if (v == nullptr) world.source.fail(0, "`" + key + "` is missing. An odae lists them: " + key + " = " + example);
  return *v;
}

std::string counted(std::int32_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

void read_unilateral(ModelText& text, Reader& reader, const Value& list) {
  const World& world = text.world;
  for (const Value& v : reader.array(list, "`unilateral`").items) {
    const std::string name = reader.text(v, "an entry of `unilateral`");
    const auto stems = [&] {
      std::vector<std::string> out;
      for (const Names::Group& g : world.constraints.groups()) out.push_back(g.stem);
      return out;
    };
    // A member by its full name, a family by its stem.
    std::vector<std::int32_t> rows;
    if (const auto row = world.constraints.find(name)) rows.push_back(*row);
    for (const Names::Group& g : world.constraints.groups())
      if (g.family && g.stem == name)
        for (std::int32_t i = 0; i < g.count; ++i) rows.push_back(g.offset + i);
    if (rows.empty()) {
      const Symbol* s = world.find(name);
      world.source.fail(v.offset, (s == nullptr ? "unknown constraint `" + name.substr(0, 60) + "`"
                                                : "`" + name + "` is " + world.describe(*s) + ", not a constraint,") +
                                      " in `unilateral`. " + (s == nullptr ? did_you_mean(name, stems()) : Message()) +
                                      "Constraints: " + listed(stems()));
    }
    for (const std::int32_t row : rows) {
      if (std::find(text.unilateral.begin(), text.unilateral.end(), row) != text.unilateral.end())
        world.source.fail(v.offset, "constraint `" + name + "` is given twice in `unilateral`");
      text.unilateral.push_back(row);
    }
  }
  std::sort(text.unilateral.begin(), text.unilateral.end());
}

}  // namespace

void read_odae(ModelText& text, Reader& reader, const Value& document) {
  World& world = text.world;
  reader.only(document, "", {});
  if (const Value* v = document.find("project")) text.project = reader.boolean(*v, "`project`");
  world.coordinates = read_names(world, reader, names_of(world, document, "positions", "[\"y1\", \"y2\"]"), "positions",
                                 Thing::coordinate);
  world.velocities = read_names(world, reader, names_of(world, document, "velocities", "[\"z1\", \"z2\"]"),
                                "velocities", Thing::velocity);
  const Value& list = names_of(world, document, "multipliers", "[\"psi\"]");
  world.algebraic = read_names(world, reader, list, "multipliers", Thing::algebraic);
  read_definitions(world, reader, document);

  const Value* constraints = reader.table(document, "constraints", "constraints");
  if (constraints != nullptr) text.constraints = reader.constraint_lines(*constraints, world.constraints, "constraint");
  if (world.constraints.size() != world.algebraic.size())
    world.source.fail(
        constraints != nullptr ? constraints->offset : list.offset,
        counted(world.constraints.size(), "constraint") + ", but " + counted(world.algebraic.size(), "multiplier") +
            " (" + listed(world.algebraic.size() < 50 ? world.algebraic.all() : std::vector<std::string>{"..."}) +
            "). Each multiplier belongs to one constraint, in the order in which they are written");
  if (world.constraints.size() > std::min(world.coordinates.size(), world.velocities.size()))
    world.source.fail(
        constraints->offset,
        counted(world.constraints.size(), "constraint") + " on " + counted(world.coordinates.size(), "position") +
            " and " +
            (world.velocities.size() == 1 ? "1 velocity" : std::to_string(world.velocities.size()) + " velocities") +
            ". There cannot be more constraints than either");

  const auto lines = [&](const char* key, const Names& names, Thing thing, const std::string& role,
                         const char* example) {
    const Value* table = reader.table(document, key, key);
    if (table == nullptr)
      world.source.fail(0, "`[" + std::string(key) + "]` is missing. Write [" + key + "] with " + example);
    return reader.lines_by_variable(*table, "[" + std::string(key) + "]", names, thing, role);
  };
  text.v = lines("v", world.coordinates, Thing::coordinate, "the derivative of",
                 "y1 = \"z1\": the derivatives of the positions");
  text.r = lines("r", world.velocities, Thing::velocity, "the reaction on",
                 "z1 = \"...\": what the multipliers do to the velocities");
  if (const Value* f = reader.table(document, "f", "f"))  // no forces: zero
    text.f = reader.lines_by_variable(*f, "[f]", world.velocities, Thing::velocity, "the force on");

  if (const Value* p = reader.table(document, "momentum", "momentum")) {
    text.p = reader.lines_by_variable(*p, "[momentum]", world.velocities, Thing::velocity, "the momentum of");
    std::vector<char> given(static_cast<std::size_t>(world.velocities.size()), 0);
    for (const Line& line : text.p) std::fill_n(given.begin() + line.row, line.count(), 1);
    const auto missing = std::find(given.begin(), given.end(), 0);
    if (missing != given.end()) {
      const std::string name = world.velocities[static_cast<std::int32_t>(missing - given.begin())];
      world.source.fail(p->key_offset, "[momentum] has no line for `" + name +
                                           "`. It has one for each velocity; write " + name + " = \"" + name +
                                           "\" where the velocity itself is meant");
    }
  }

  if (const Value* v = document.find("unilateral")) read_unilateral(text, reader, *v);
  if (const Value* v = document.find("restitution")) {
    text.restitution = reader.number(*v, "`restitution`");
    text.restitution_formula = reader.formula(*v, "`restitution`");
    if (!(text.restitution >= 0.0 && text.restitution <= 1.0))
      world.source.fail(v->offset, "`restitution` must be from 0 (no rebound) to 1 (no loss), found " +
                                       number_text(text.restitution));
    if (text.unilateral.empty())
      world.source.fail(v->key_offset,
                        "`restitution` is for unilateral constraints, and none is. Write unilateral = [\"NAME\"], or "
                        "leave it out");
  }
}

}  // namespace rattleback::front
