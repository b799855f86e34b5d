// The tables of port-Hamiltonian descriptor systems:
//   E(x) x' + r = (J - R) z + (B - P) u,   y = (B + P)^T z + (S - N) u,   grad H = E^T z      [Symank2025, definition 4.1]
#include <fmt/format.h>

#include "model/grammar/suggest.hpp"
#include "model/reader.hpp"

namespace rattleback::front {

namespace rules {
const Rules kPortHamiltonian{
    .time = true, .positions = true, .definitions = true, .accepts = "t, states, parameters and definitions of these"};
}  // namespace rules

namespace {

// A table of tables, [B.push]: one for each input.
template <class F>
void for_each_input(ModelText& text, Reader& reader, const Value& document, const std::string& name, F&& f) {
  const Value* table = reader.table(document, name, name + ".NAME");
  if (table == nullptr) return;
  for (const Value& v : table->items) {
    if (!v.is_table())
      text.world.source.fail(
          v.key_offset,
          fmt::format("expected a table for input `{}` in [{}], found {}. Write [{}.{}] with the entries of "
                      "its column below",
                      v.key, name, describe(v.type), name, v.key));
    f(v);
  }
}

class Inputs {
 public:
  Inputs(ModelText& text, Reader& reader) : text_(text), reader_(reader) {}

  void read(const Value& document) {
    const Value* values = reader_.table(document, "inputs", "inputs");
    if (values != nullptr)
      for (const Value& v : values->items) {
        InputText& input = take(v);
        if (v.is_table())
          read_series(v, input);
        else
          input.u = reader_.formula(v, "input `" + v.key + "`");
      }
    column(document, "B", &InputText::B);
    column(document, "P", &InputText::P);
    matrix(document, "S", MatrixSymmetry::symmetric, text_.ph.S);
    matrix(document, "N", MatrixSymmetry::skew, text_.ph.N);
    if (values == nullptr) return;
    for (std::size_t i = 0; i < text_.ph.inputs.size(); ++i) {
      const InputText& input = text_.ph.inputs[i];
      const auto here = static_cast<std::int32_t>(i);
      if (!input.B.empty() || !input.P.empty() || touches(text_.ph.S, here) || touches(text_.ph.N, here)) continue;
      const Value* v = values->find(input.name);
      std::vector<std::string> others;
      for (const InputText& other : text_.ph.inputs)
        if (&other != &input) others.push_back(other.name);
      text_.world.source.fail(v != nullptr ? v->key_offset : 0,
                              "input `" + input.name + "` acts nowhere: there is no [B." + input.name + "]. " +
                                  did_you_mean(input.name, others) + "Write [B." + input.name +
                                  "] with the entries of its column, or leave the input out");
    }
  }

 private:
  static bool touches(const MatrixText& m, std::int32_t input) {
    for (const MatrixLine& line : m.lines)
      for (const auto& [row, col] : line.places)
        if (row == input || col == input) return true;
    return false;
  }

  InputText& take(const Value& v) {
    World& world = text_.world;
    const KeyPattern k = parse_key(world.source, v.key_offset, "the name of an input", v.key);
    if (k.indexed || k.primed)
      world.source.fail(v.key_offset, "the name of an input has no index and no ', found `" + v.key + "`");
    for (InputText& input : text_.ph.inputs)
      if (input.name == v.key) return input;
    world.declare(k.stem, Thing::port, text_.ph.input_names.size(), v.key_offset);
    text_.ph.input_names.add(k.stem);
    return text_.ph.inputs.emplace_back(InputText{k.stem, {}, {}, {}, {}});
  }

  void column(const Value& document, const std::string& name, std::vector<Line> InputText::*lines) {
    for_each_input(text_, reader_, document, name, [&](const Value& v) {
      const std::string table = "[" + name + "." + v.key + "]";
      take(v).*lines = reader_.lines_by_variable(v, table, text_.world.coordinates, Thing::coordinate,
                                                 "the entry of " + table + " at");
    });
  }

  void matrix(const Value& document, const std::string& name, MatrixSymmetry symmetry, MatrixText& out) {
    out = {name, symmetry, {}};
    if (const Value* v = reader_.table(document, name, name))
      out = reader_.matrix(*v, "[" + name + "]", name, text_.ph.input_names, Thing::port, symmetry);
  }

  void read_series(const Value& v, InputText& input) {
    const std::string what = "input `" + v.key + "`";
    reader_.only(v, what, {"inputs", "*"});
    const Value* file = v.find("csv");
    if (file == nullptr)
      text_.world.source.fail(
          v.offset, what + " has no `csv`. Write " + v.key + " = { csv = \"file.csv\", column = \"u\", time = \"t\" }");
    DataText data;
    data.what = what;
    data.offset = file->offset;
    data.file = reader_.text(*file, "`csv` of " + what);
    data.at = v.find("time") != nullptr ? reader_.text(*v.find("time"), "`time` of " + what) : "t";
    data.column = v.find("column") != nullptr ? reader_.text(*v.find("column"), "`column` of " + what) : v.key;
    input.data = read_data(text_.world.source, data);
  }

  ModelText& text_;
  Reader& reader_;
};

}  // namespace

void read_port_hamiltonian(ModelText& text, Reader& reader, const Value& document) {
  World& world = text.world;
  reader.only(document, "", {});
  if (const Value* v = document.find("project")) text.project = reader.boolean(*v, "`project`");
  const Value* states = document.find("states");
  if (states == nullptr)
    world.source.fail(0, "`states` is missing. A port-Hamiltonian system lists them: states = [\"p\", \"v\"]");
  world.coordinates = read_names(world, reader, *states, "states", Thing::coordinate);
  read_angles(text, reader, document);
  read_definitions(world, reader, document);
  const Value* hamiltonian = document.find("hamiltonian");
  if (hamiltonian == nullptr)
    world.source.fail(0, "`hamiltonian` is missing. Write hamiltonian = \"...\", before the first [table]");
  text.hamiltonian = reader.formula(*hamiltonian, "the Hamiltonian");
  const auto matrix = [&](const std::string& name, MatrixSymmetry symmetry) {
    const Value* v = reader.table(document, name, name);
    return v == nullptr ? MatrixText{name, symmetry, {}}
                        : reader.matrix(*v, "[" + name + "]", name, world.coordinates, Thing::coordinate, symmetry);
  };
  if (document.find("E") == nullptr)
    world.source.fail(0, "`[E]` is missing. Write [E] with \"" + world.coordinates[0] + "," + world.coordinates[0] +
                             "\" = \"1\": the matrix in front of x', entries that are not named are 0");
  text.ph.E = matrix("E", MatrixSymmetry::none);
  text.ph.J = matrix("J", MatrixSymmetry::skew);
  text.ph.R = matrix("R", MatrixSymmetry::symmetric);
  const Value* z = reader.table(document, "z", "z");
  if (z == nullptr)
    world.source.fail(0, "`[z]` is missing. Write [z] with " + world.coordinates[0] +
                             " = \"...\": the efforts, with grad H = E^T z; what is not named is 0");
  text.ph.z = reader.lines_by_variable(*z, "[z]", world.coordinates, Thing::coordinate, "the effort of");
  if (const Value* r = reader.table(document, "r", "r"))
    text.ph.r = reader.lines_by_variable(*r, "[r]", world.coordinates, Thing::coordinate, "the entry of [r] at");
  Inputs(text, reader).read(document);
}

}  // namespace rattleback::front
