// What a model names before its formulas: parameters (with the user's --set), coordinates and definitions.
#include <algorithm>
#include <cmath>

#include "model/grammar/suggest.hpp"
#include "model/reader.hpp"
#include "rattleback/error.hpp"

namespace rattleback::front {
namespace {

// Names that the file introduces after the parameters.
void look_ahead(World& world, const Value& document) {
  std::vector<std::string>& names = world.named_later;
  const auto stem = [](const std::string& text) { return text.substr(0, text.find_first_of("[(")); };
  for (const char* key : {"coordinates", "states", "algebraic", "positions", "velocities", "multipliers", "momenta"})
    if (const Value* list = document.find(key))
      for (const Value& v : list->items) names.push_back(stem(v.text));
  if (const Value* table = document.find("kinematics"))
    if (const Value* list = table->find("velocities"))
      for (const Value& v : list->items) names.push_back(stem(v.text));
  for (const char* key : {"define", "outputs"})
    if (const Value* table = document.find(key))
      for (const Value& v : table->items) world.defined_later.push_back(stem(v.key));
  names.insert(names.end(), world.defined_later.begin(), world.defined_later.end());
}

void set_parameter(World& world, const std::string& name, const std::string& value) {
  const std::string option = "--set " + name + "=" + value;
  const KeyPattern k = parse_option_key(option, "the name of a parameter", name);
  const auto it = std::find_if(world.parameters.begin(), world.parameters.end(),
                               [&](const Parameter& p) { return p.name == k.stem; });
  if (it == world.parameters.end() || k.primed) {
    std::vector<std::string> names;
    for (const Parameter& p : world.parameters) names.push_back(p.name);
    if (!k.primed &&
        std::find(world.defined_later.begin(), world.defined_later.end(), k.stem) != world.defined_later.end())
      throw Error(option + ": `" + k.stem +
                  "` is a definition, not a parameter: its formula stands in [define]. Set what " +
                  "it is made of, or move it to [parameters]. Parameters: " + listed(names));
    const Message start =
        std::find(world.named_later.begin(), world.named_later.end(), k.stem) != world.named_later.end()
            ? Message("A start value is given with --start. ")
            : did_you_mean(k.stem, names);
    throw error_of(option + ": unknown parameter `" + k.stem + (k.primed ? "'" : "") + "`. " + start +
                   "Parameters: " + listed(names));
  }
  std::size_t element = 0;
  const std::string size = std::to_string(it->formulas.size());
  if (it->array) {
    if (!k.indexed || !k.index.empty() || k.from != k.to || k.formula[k.from].kind != Ast::number)
      throw Error(option + ": `" + k.stem + "` is an array of " + size + ". Set one element: --set " + k.stem +
                  "[1]=" + value);
    const double i = k.formula[k.from].value;
    if (!(i >= 1.0 && i <= static_cast<double>(it->formulas.size())) || i != std::floor(i))
      throw Error(option + ": `" + k.stem + "[" + number_text(i) + "]` does not exist: the index of `" + k.stem +
                  "` is out of range 1:" + size);
    element = static_cast<std::size_t>(i) - 1;
  } else if (k.indexed) {
    throw Error(option + ": `" + k.stem + "` is not an array and takes no index");
  }
  it->formulas[element] = Formula(option, "parameter `" + name + "`", value);
}

}  // namespace

void read_parameters(World& world, Reader& reader, const Value& document, const LoadOptions& options) {
  if (const Value* table = reader.table(document, "parameters", "parameters")) {
    for (const Value& v : table->items) {
      const KeyPattern k = parse_key(world.source, v.key_offset, "the key of a parameter", v.key);
      if (k.indexed || k.primed)
        world.source.fail(v.key_offset, "the name of a parameter has no index and no ', found `" + v.key +
                                            "`. An array is written " + k.stem +
                                            " = [1, 2, 3]; a formula of an index belongs in [define]");
      world.declare(k.stem, Thing::parameter, static_cast<std::int32_t>(world.parameters.size()), v.key_offset);
      Parameter p;
      p.name = k.stem;
      p.array = v.type == Value::Type::array;
      const std::string role = "parameter `" + p.name + "`";
      if (p.array) {
        if (v.items.empty()) world.source.fail(v.offset, "the array " + role + " is empty");
        p.formulas.reserve(v.items.size());
        for (const Value& e : v.items) p.formulas.push_back(reader.formula(e, role));
      } else {
        p.formulas.push_back(reader.formula(v, role));
      }
      p.values.resize(p.formulas.size());
      p.errors.resize(p.formulas.size());
      p.state.resize(p.formulas.size());
      p.uses.resize(p.formulas.size());
      world.parameters.push_back(std::move(p));
    }
  }
  look_ahead(world, document);
  change_parameters(world, options);
  world.named_later.clear();
  world.defined_later.clear();
}

void change_parameters(World& world, const LoadOptions& options) {
  for (const auto& [name, value] : options.set) set_parameter(world, name, value);
  for (Parameter& p : world.parameters) std::fill(p.state.begin(), p.state.end(), std::uint8_t{0});
  for (std::size_t i = 0; i < world.parameters.size(); ++i)
    for (std::size_t e = 0; e < world.parameters[i].formulas.size(); ++e)
      (void)world.parameter(static_cast<std::int32_t>(i), e);
}

Names read_names(World& world, Reader& reader, const Value& list, const std::string& key, Thing thing) {
  Names names;
  for (const Value& v : reader.array(list, "`" + key + "`").items) {
    const KeyPattern k =
        parse_key(world.source, v.offset, "an entry of `" + key + "`", reader.text(v, "an entry of `" + key + "`"));
    const std::string entry = "`" + v.text + "` in `" + key + "`";
    if (k.primed)
      world.source.fail(v.offset, entry + " has a '. The velocity of a coordinate needs no entry of its own");
    if (!k.index.empty() || (k.indexed && k.from == k.to))
      world.source.fail(v.offset, entry + " is not a range. A family is written " + k.stem + "[1:N]");
    world.declare(k.stem, thing, static_cast<std::int32_t>(names.groups().size()), v.offset);
    if (!k.indexed) {
      names.add(k.stem);
    } else {
      Scope none;
      const auto [from, to] = world.range(k.formula, k.from, k.to, none);
      if (to < from)
        world.source.fail(v.offset, entry + " is empty, " + std::to_string(from) + ":" + std::to_string(to) +
                                        ". A family has at least one member");
      if (names.size() + (to - from + 1) > kMaxCount)
        world.source.fail(v.offset, "`" + key + "` has more than " + std::to_string(kMaxCount) + " elements");
      names.add_family(k.stem, static_cast<std::int32_t>(from), static_cast<std::int32_t>(to - from + 1));
    }
  }
  if (names.empty()) world.source.fail(list.offset, "`" + key + "` is empty. Write " + key + " = [\"x\", \"y\"]");
  return names;
}

namespace {

void read_function(World& world, const Reader& reader, const Value& v, const FunctionKey& key) {
  world.declare(key.name, Thing::function, static_cast<std::int32_t>(world.functions.size()), v.key_offset);
  world.functions.push_back({key.name, key.arguments, reader.formula(v, "function `" + v.key + "`"), {}});
}

// One entry of [define], or one of [outputs], which are definitions that runs write down.
class DefinitionReader {
 public:
  DefinitionReader(World& world, Reader& reader) : world_(world), reader_(reader) {}

  void read(const Value& v, const std::string& what) {
    const Key k = reader_.key(v, (what == "output" ? "an " : "a ") + what);
    if (k.primed)
      world_.source.fail(k.offset, "the name of a" + std::string(what == "output" ? "n " : " ") + what +
                                       " has no ', found `" + v.key + "`. The derivative of " + k.stem + " is dt(" +
                                       k.stem + ")");
    const auto [it, fresh] = numbers_.try_emplace(k.stem, world_.definitions.size());
    if (fresh) {
      world_.declare(k.stem, Thing::definition, static_cast<std::int32_t>(world_.definitions.size()), k.offset);
      world_.definitions.push_back({k.stem, k.indexed, {}});
      if (what == "output") world_.outputs.push_back(it->second);
    }
    Definition& d = world_.definitions[it->second];
    if (d.family != k.indexed || !members_.insert(k.stem, k.from, k.to))
      world_.source.fail(k.offset, what + " `" + v.key + "` is already there. Two things cannot have one name");
    d.pieces.push_back({k.from, k.to, k.index, reader_.formula(v, what + " `" + v.key + "`")});
  }

 private:
  World& world_;
  Reader& reader_;
  std::map<std::string, std::size_t> numbers_;
  Members members_;
};

}  // namespace

void read_definitions(World& world, Reader& reader, const Value& document) {
  DefinitionReader definitions(world, reader);
  if (const Value* table = reader.table(document, "define", "define"))
    for (const Value& v : table->items) {
      if (const auto key = parse_function_key(world.source, v.key_offset, "the key of a function", v.key))
        read_function(world, reader, v, *key);
      else
        definitions.read(v, "definition");
    }
  if (const Value* tables = reader.table(document, "tables", "tables.NAME"))
    for (const Value& v : tables->items) {
      const std::string path = "[tables." + v.key + "]";
      if (!is_name(v.key))
        world.source.fail(v.key_offset, "the name of a table consists of letters, digits and _, found `" + v.key + "`");
      if (!v.is_table())
        world.source.fail(v.offset, "expected a table for `" + v.key + "`, found " + describe(v.type) + ". Write " +
                                        path + " with file = \"data.csv\", x and y");
      world.declare(v.key, Thing::function, static_cast<std::int32_t>(world.functions.size()), v.key_offset);
      DataText data = reader.data(v, path, keys_at(file_kind(world), {"tables", "*"}), "x", "x", "y", "y");
      world.functions.push_back({v.key, {"x"}, {}, read_data(world.source, data)});
    }
  if (const Value* table = reader.table(document, "outputs", "outputs"))
    for (const Value& v : table->items) {
      if (v.is_table())
        world.source.fail(v.key_offset, "expected an expression in quotes for output `" + v.key + "`, found a table");
      definitions.read(v, "output");
    }
  for (Definition& d : world.definitions) {
    for (const DefinitionPiece& p : d.pieces)  // again, now that all definitions are declared
      if (!p.index.empty()) world.check_index_name(p.formula, 0, p.index, {});
    if (d.family) std::erase_if(d.pieces, [](const DefinitionPiece& p) { return p.to < p.from; });
    std::sort(d.pieces.begin(), d.pieces.end(),
              [](const DefinitionPiece& a, const DefinitionPiece& b) { return a.from < b.from; });
  }
}

}  // namespace rattleback::front
