// The tables of mechanical systems and daes, and those that all kinds share.
#include <algorithm>

#include "model/grammar/kind_rules.hpp"
#include "model/grammar/suggest.hpp"
#include "model/reader.hpp"

namespace rattleback::front {

namespace rules {
const Rules kKinetic{.time = true,
                     .positions = true,
                     .velocities = true,
                     .definitions = true,
                     .accepts = "t, coordinates, velocities, parameters and definitions"};
const Rules kPotential{.time = true,
                       .positions = true,
                       .definitions = true,
                       .accepts =
                           "t, coordinates, parameters and definitions without velocities. A Lagrangian of another "
                           "form is given as L = \"...\""};
const Rules kLagrangian = kKinetic;
const Rules kRayleigh = kKinetic;
const Rules kHolonomic{.time = true,
                       .positions = true,
                       .definitions = true,
                       .accepts =
                           "t, coordinates, parameters and definitions without velocities. Constraints on velocities "
                           "belong in [constraints.nonholonomic]"};
const Rules kNonholonomic = kKinetic;
const Rules kForce{.time = true,
                   .positions = true,
                   .velocities = true,
                   .multipliers = true,
                   .definitions = true,
                   .accepts = "t, coordinates, velocities, multipliers lambda(name), parameters and definitions"};
const Rules kInput = kKinetic;
const Rules kAlong{.time = true,
                   .positions = true,
                   .definitions = true,
                   .accepts = "t, coordinates, parameters and definitions without velocities"};
const Rules kExact{.time = true, .definitions = true, .accepts = "t, parameters and definitions of these"};
const Rules kRhs{.time = true,
                 .positions = true,
                 .algebraic = true,
                 .definitions = true,
                 .accepts = "t, states, algebraic variables, parameters and definitions"};
const Rules kDaeConstraint{.time = true,
                           .positions = true,
                           .definitions = true,
                           .accepts =
                               "t, states, parameters and definitions of these: in index 2 the constraint determines "
                               "the algebraic variables only through the states"};
}  // namespace rules

namespace {

const Value& required(const World& world, const Value& document, const char* key, const std::string& example) {
  const Value* v = document.find(key);
  if (v == nullptr) world.source.fail(0, "`" + std::string(key) + "` is missing. " + example);
  return *v;
}

std::string counted(std::int32_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

// Calls take(position, place) for the coordinates, families by name or in part, that document[key] lists.
template <class Take>
void read_positions(World& world, Reader& reader, const Value& document, const char* key, const Take& take) {
  const Value* list = document.find(key);
  if (list == nullptr) return;
  const std::string where = "`" + std::string(key) + "`", entry = "an entry of " + where;
  for (const Value& v : reader.array(*list, where).items) {
    const KeyPattern p = parse_key(world.source, v.offset, entry, reader.text(v, entry));
    const Symbol* s = world.find(p.stem);
    Key k{p.stem, p.primed, p.indexed, {}, 0, 0, v.offset};
    if (p.indexed) std::tie(k.from, k.to) = world.range(p.formula, p.from, p.to, {});
    if (s != nullptr && s->thing == Thing::coordinate && !p.indexed) {  // a whole family by its name
      const Names::Group& g = world.coordinates.groups()[static_cast<std::size_t>(s->number)];
      k = {g.stem, p.primed, g.family, {}, g.first, g.first + g.count - 1, v.offset};
    }
    if (p.primed)
      world.source.fail(v.offset, "`" + v.text + "` in " + where + " is a velocity. Write `" + p.stem + "`");
    const std::int32_t row = reader.position(k, world.coordinates, Thing::coordinate, where);
    for (std::int64_t i = 0; i <= (k.indexed ? k.to - k.from : 0); ++i)
      take(row + static_cast<std::int32_t>(i), v.offset);
  }
}

}  // namespace

void read_angles(ModelText& text, Reader& reader, const Value& document) {
  read_positions(text.world, reader, document, "angles", [&](std::int32_t i, std::size_t place) {
    text.angles.push_back(i);
    text.angle_places.push_back(place);
  });
}

void read_auxiliary(ModelText& text, Reader& reader, const Value& document) {
  std::vector<std::int32_t>& all = text.auxiliary;
  read_positions(text.world, reader, document, "auxiliary", [&](std::int32_t i, std::size_t place) {
    text.auxiliary_place = place;
    all.push_back(i);
  });
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

namespace {

void read_lagrangian(ModelText& text, Reader& reader, const Value& document) {
  const Source& source = text.world.source;
  const Value* table = reader.table(document, "lagrangian", "lagrangian");
  const std::string example = "Write [lagrangian] with kinetic = \"...\" and potential = \"...\", or with L = \"...\"";
  if (table == nullptr) source.fail(0, "`[lagrangian]` is missing. " + example);
  reader.only(*table, "[lagrangian]", {"lagrangian"});
  const Value *kinetic = table->find("kinetic"), *potential = table->find("potential"), *whole = table->find("L");
  if (whole != nullptr && (kinetic != nullptr || potential != nullptr))
    source.fail(whole->key_offset, "[lagrangian] has both L and kinetic or potential. " + example);
  if (whole == nullptr && kinetic == nullptr)
    source.fail(table->offset, std::string("[lagrangian] has no ") +
                                   (potential != nullptr ? "kinetic energy. " : "entry. ") + example);
  if (whole != nullptr) text.lagrangian = reader.formula(*whole, "the Lagrangian");
  if (kinetic != nullptr) text.kinetic = reader.formula(*kinetic, "the kinetic energy");
  if (potential != nullptr) text.potential = reader.formula(*potential, "the potential energy");
}

// Plain entries, and groups with coefficients of their own.
void read_forces(ModelText& text, Reader& reader, const Value& document) {
  World& world = text.world;
  const Value* table = reader.table(document, "forces", "forces");
  if (table == nullptr) return;
  const auto lines = [&](const Value& from, const std::string& path, const std::string& role) {
    return reader.lines_by_variable(from, path, world.coordinates, Thing::coordinate, role, !world.hamiltonian);
  };
  Value plain = *table;
  std::erase_if(plain.items, [](const Value& v) { return v.is_table(); });
  text.forces = lines(plain, "[forces]", "the force on");
  for (const Value& v : table->items) {
    if (!v.is_table()) continue;
    const std::string path = "[forces." + v.key + "]";
    std::vector<std::string> known(std::begin(kLobattoNames), std::end(kLobattoNames));
    const Value* which = v.find("coefficients");
    if (which == nullptr)
      world.source.fail(v.key_offset, path + " has no `coefficients`. They are one of: " + listed(known));
    const std::string name = reader.text(*which, "`coefficients` of " + path);
    const auto at = std::find(known.begin(), known.end(), name);
    if (at == known.end())
      world.source.fail(which->offset, "`coefficients` of " + path + " is \"" + name.substr(0, 40) + "\". " +
                                           did_you_mean(name, known) + "It can be: " + listed(known));
    for (const ForceGroupText& other : text.force_groups)
      if (other.name == v.key) world.source.fail(v.key_offset, path + " is given twice");
    if (v.items.size() < 2)
      world.source.fail(v.key_offset, path + " has no force. Write one for each coordinate that it pushes");
    Value rest = v;
    std::erase_if(rest.items, [](const Value& e) { return e.key == "coefficients"; });
    text.force_groups.push_back(
        {v.key, static_cast<int>(at - known.begin()), lines(rest, path, "group `" + v.key + "` of the force on")});
  }
}

void read_ports(ModelText& text, Reader& reader, const Value& document) {
  World& world = text.world;
  const Value* ports = reader.table(document, "ports", "ports.NAME");
  if (ports == nullptr) return;
  for (const Value& v : ports->items) {
    const KeyPattern k = parse_key(world.source, v.key_offset, "the name of a port", v.key);
    if (k.indexed || k.primed)
      world.source.fail(v.key_offset, "the name of a port has no index and no ', found `" + v.key + "`");
    world.declare(k.stem, Thing::port, static_cast<std::int32_t>(text.ports.size()), v.key_offset);
    const std::string path = "[ports." + v.key + "]";
    if (!v.is_table())
      world.source.fail(v.offset, "expected a table for port `" + v.key + "`, found " + describe(v.type) + ". Write " +
                                      path + " with input and along");
    reader.only(v, path, {"ports", "*"});
    const Value *input = v.find("input"), *along = v.find("along");
    if (along == nullptr)
      world.source.fail(v.key_offset, path +
                                          " has no `along`. Write along = { x = \"1\" }, and input = \"...\" unless " +
                                          "it is given while steps are taken");
    if (!along->is_table())
      world.source.fail(along->offset, "expected a table for `along` of port `" + v.key + "`, found " +
                                           describe(along->type) + ". Write along = { x = \"1\" }");
    PortText& port = text.ports.emplace_back(PortText{v.key, {}, {}, {}});
    if (input != nullptr && input->is_table())
      port.data = read_data(
          world.source, reader.data(*input, "input `" + v.key + "`", keys_at(file_kind(world), {"ports", "*", "input"}),
                                    "time", "t", "column", v.key));
    else if (input != nullptr)
      port.input = reader.formula(*input, "the input of port `" + v.key + "`");
    port.along =
        reader.lines_by_variable(*along, "`along` of port `" + v.key + "`", world.coordinates, Thing::coordinate,
                                 "the direction of port `" + v.key + "` along", !world.hamiltonian);
  }
}

}  // namespace

void read_mechanical(ModelText& text, Reader& reader, const Value& document) {
  World& world = text.world;
  if (const Value* v = document.find("states"); v != nullptr && document.find("kind") == nullptr)
    world.source.fail(v->key_offset, std::string("`states` belong to kind = \"") +
                                         (document.find("pi") != nullptr            ? "skew-gradient"
                                          : document.find("hamiltonian") != nullptr ? "port-hamiltonian"
                                                                                    : "dae") +
                                         "\", and no kind is given. A mechanical system has `coordinates`");
  reader.only(document, "", {});
  if (const Value* v = document.find("project")) text.project = reader.boolean(*v, "`project`");
  const Value& list =
      required(world, document, "coordinates", "A mechanical system lists them: coordinates = [\"x\", \"y\"]");
  world.coordinates = read_names(world, reader, list, "coordinates", Thing::coordinate);
  read_angles(text, reader, document);
  read_auxiliary(text, reader, document);
  if (world.hamiltonian)
    read_momenta(text, reader, document);
  else
    read_kinematics(text, reader, document);
  read_definitions(world, reader, document);
  if (const Value* constraints = reader.table(document, "constraints", "constraints.holonomic")) {
    for (const Value& v : constraints->items)
      if (!v.is_table())
        world.source.fail(
            v.key_offset,
            "constraint `" + v.key +
                "` stands in [constraints]. In a mechanical system write it below [constraints.holonomic] (of t and "
                "positions) or [constraints.nonholonomic] (with velocities)");
    reader.only(*constraints, "[constraints]", {"constraints"});
    if (const Value* v = constraints->find("holonomic"))
      text.holonomic = reader.constraint_lines(*v, world.holonomic, "holonomic constraint");
    if (const Value* v = constraints->find("nonholonomic"))
      text.nonholonomic = reader.constraint_lines(*v, world.nonholonomic, "nonholonomic constraint");
  }
  if (world.hamiltonian)
    read_energy(text, reader, document);
  else
    read_lagrangian(text, reader, document);
  read_forces(text, reader, document);
  if (const Value* v = reader.table(document, "dissipation", "dissipation")) {
    reader.only(*v, "[dissipation]", {"dissipation"});
    if (v->find("rayleigh") != nullptr) text.rayleigh = reader.formula(*v->find("rayleigh"), "the Rayleigh function");
  }
  read_ports(text, reader, document);
  read_symmetries(text, reader, document);
}

void read_dae(ModelText& text, Reader& reader, const Value& document) {
  World& world = text.world;
  reader.only(document, "", {});
  if (const Value* v = document.find("project")) text.project = reader.boolean(*v, "`project`");
  world.coordinates =
      read_names(world, reader, required(world, document, "states", "A dae lists them: states = [\"y1\", \"y2\"]"),
                 "states", Thing::coordinate);
  const Value& list =
      required(world, document, "algebraic", "A dae lists its algebraic variables: algebraic = [\"z1\"]");
  world.algebraic = read_names(world, reader, list, "algebraic", Thing::algebraic);
  read_definitions(world, reader, document);

  const Value* constraints = reader.table(document, "constraints", "constraints");
  if (constraints != nullptr) text.constraints = reader.constraint_lines(*constraints, world.constraints, "constraint");
  if (world.constraints.size() != world.algebraic.size())
    world.source.fail(
        constraints != nullptr ? constraints->offset : list.offset,
        counted(world.constraints.size(), "constraint") + ", but " +
            counted(world.algebraic.size(), "algebraic variable") + " (" +
            listed(world.algebraic.size() < 50 ? world.algebraic.all() : std::vector<std::string>{"..."}) +
            "). An index-2 system has as many constraints as algebraic variables");

  const Value* rhs = reader.table(document, "rhs", "rhs");
  if (rhs == nullptr)
    world.source.fail(0, "`[rhs]` is missing. Write [rhs] with y1 = \"...\", or additive parts [rhs.1] to [rhs.5]");
  bool parts = false;
  for (const Value& v : rhs->items) parts = parts || v.is_table();
  if (!parts) {
    text.part_count = 1;
    text.parts[0] = reader.lines_by_variable(*rhs, "[rhs]", world.coordinates, Thing::coordinate, "the derivative of");
    return;
  }
  for (const Value& v : rhs->items) {
    const bool numbered = v.key.size() == 1 && v.key[0] >= '1' && v.key[0] <= '5';
    if (!numbered || !v.is_table())
      world.source.fail(v.key_offset,
                        "unknown part `" + v.key.substr(0, 60) +
                            "` in [rhs]. With additive parts, every entry belongs in one of [rhs.1] to [rhs.5]");
    const int part = v.key[0] - '0';
    text.part_count = std::max(text.part_count, part);
    text.parts[static_cast<std::size_t>(part - 1)] = reader.lines_by_variable(
        v, "[rhs." + v.key + "]", world.coordinates, Thing::coordinate, "part " + v.key + " of the derivative of");
  }
}

void read_exact(ModelText& text, Reader& reader, const Value& document) {
  World& world = text.world;
  const Value* table = reader.table(document, "exact", "exact");
  if (table == nullptr) return;
  Members members;
  for (const Value& v : table->items) {
    const Key k = reader.key(v, "an entry of [exact]");
    const Symbol* s = world.find(k.stem);
    const bool algebraic = s != nullptr && s->thing == Thing::algebraic;
    const bool velocity = s != nullptr && s->thing == Thing::velocity;
    const std::int32_t row = algebraic  ? reader.position(k, world.algebraic, Thing::algebraic, "[exact]")
                             : velocity ? reader.position(k, world.velocities, Thing::velocity, "[exact]")
                                        : reader.position(k, world.coordinates, Thing::coordinate, "[exact]");
    if (k.primed && !world.facts().primed)
      world.source.fail(k.offset, "`" + v.key + "` in [exact] is a derivative. " + rules_of(world.kind).primed_exact);
    if (!members.insert(k.stem + (k.primed ? "'" : ""), k.from, k.to))
      world.source.fail(k.offset, "`" + v.key + "` is given twice in [exact]");
    text.exact.push_back({algebraic              ? kMultiplier
                          : k.primed || velocity ? kVelocity
                                                 : kPosition,
                          {k.index, k.from, k.to, row, reader.formula(v, "the exact solution of `" + v.key + "`")}});
  }
}

namespace {

Kind read_kind(const Source& source, const Value& document) {
  const Value* v = document.find("kind");
  if (v == nullptr) return Kind::mechanical;
  if (v->type != Value::Type::string)
    source.fail(v->offset, std::string("expected a string for `kind`, found ") + describe(v->type));
  if (v->text == hamiltonian_kind().name) return Kind::mechanical;
  for (const Kind kind : kAllKinds)
    if (v->text == to_string(kind)) return kind;
  std::vector<std::string> all;
  std::string runs;
  for (const FileKind& kind : file_kinds()) {
    runs += (all.empty() ? "" : all.size() == 1 ? " (the default), " : ", ") + std::string(kind.name);
    all.emplace_back(kind.name);
  }
  source.fail(v->offset, "unknown kind `" + v->text.substr(0, 60) + "`. " + did_you_mean(v->text, all) +
                             "This version runs: " + runs);
}

void read_tables(ModelText& text, Reader& reader, const Value& document) {
  switch (text.world.kind) {
    case Kind::mechanical: return read_mechanical(text, reader, document);
    case Kind::dae: return read_dae(text, reader, document);
    case Kind::odae: return read_odae(text, reader, document);
    case Kind::skew_gradient: return read_skew_gradient(text, reader, document);
    case Kind::port_hamiltonian: return read_port_hamiltonian(text, reader, document);
  }
}

}  // namespace

ModelText read_model_text(const Source& source, const Value& document, const LoadOptions& options) {
  ModelText text(source, read_kind(source, document));
  Reader reader(text.world, source);
  if (const Value* v = document.find("kind")) text.world.hamiltonian = v->text == hamiltonian_kind().name;
  if (const Value* v = document.find("name")) text.name = reader.text(*v, "`name`");
  read_parameters(text.world, reader, document, options);
  text.world.note(World::Use::tables);
  refuse_symmetries(text.world, document);
  read_tables(text, reader, document);
  read_invariants(text, reader, document);
  read_exact(text, reader, document);
  read_events(text, reader, document);
  read_view(text, reader, document);
  read_units(text, reader, document);
  read_run(text, reader, document);
  text.world.note(World::Use::none);
  read_starts(text, reader, document, options);
  return text;
}

}  // namespace rattleback::front
