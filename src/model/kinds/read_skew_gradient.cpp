// The tables of skew-gradient systems: x' = Pi(x) grad H(x).
#include "model/reader.hpp"

namespace rattleback::front {

namespace rules {
const Rules kHamiltonian{.positions = true,
                         .definitions = true,
                         .accepts = "states, parameters and definitions of these; the energy does not depend on t"};
const Rules kMatrix{.positions = true,
                    .definitions = true,
                    .accepts = "states, parameters and definitions of these; the matrices do not depend on t"};
}  // namespace rules

void read_skew_gradient(ModelText& text, Reader& reader, const Value& document) {
  World& world = text.world;
  reader.only(document, "", {});
  const Value* states = document.find("states");
  if (states == nullptr)
    world.source.fail(0, "`states` is missing. A skew-gradient system lists them: states = [\"x1\", \"x2\"]");
  world.coordinates = read_names(world, reader, *states, "states", Thing::coordinate);
  read_angles(text, reader, document);
  read_definitions(world, reader, document);
  const Value* hamiltonian = document.find("hamiltonian");
  if (hamiltonian == nullptr) {
    for (const Value& table : document.items)
      if (const Value* lost = table.is_table() ? table.find("hamiltonian") : nullptr)
        world.source.fail(lost->key_offset, "`hamiltonian` stands in [" + table.key +
                                                "]. Write it above the first [table]: below one, it belongs to it");
    world.source.fail(0, "`hamiltonian` is missing. Write hamiltonian = \"...\", above the first [table]");
  }
  text.hamiltonian = reader.formula(*hamiltonian, "the Hamiltonian");
  const Value* pi = reader.table(document, "pi", "pi");
  if (pi == nullptr)
    world.source.fail(0, "`[pi]` is missing. Write [pi] with \"x1,x2\" = \"...\": the entries above the diagonal");
  text.pi = reader.matrix(*pi, "[pi]", "Pi", world.coordinates, Thing::coordinate, MatrixSymmetry::skew);
}

}  // namespace rattleback::front
