#include "model/momenta.hpp"

#include <fmt/format.h>

#include "expr/spaces.hpp"
#include "model/reader.hpp"
#include "model/symbolic_matrix.hpp"

namespace rattleback::front {

namespace rules {
const Rules kEnergy{.time = true,
                    .positions = true,
                    .multipliers = true,
                    .definitions = true,
                    .quasi = true,
                    .accepts = "t, coordinates, momenta, parameters and definitions of these"};
}  // namespace rules

void read_momenta(ModelText& text, Reader& reader, const Value& document) {
  World& world = text.world;
  const Value* list = document.find("momenta");
  if (list == nullptr)
    world.source.fail(0, "`momenta` is missing. A Hamiltonian system lists one for each coordinate: momenta = [\"p" +
                             world.coordinates[0] + "\"]");
  world.quasi = read_names(world, reader, *list, "momenta", Thing::quasi);
  text.kinematics.place = list->offset;
  for (const Names* names : {&world.coordinates, &world.quasi})
    for (const Names::Group& g : names->groups())
      if (g.family)
        world.source.fail(list->offset,
                          "`" + g.stem + "` is a family. A Hamiltonian system has single coordinates and momenta");
  if (world.quasi.size() != world.coordinates.size())
    world.source.fail(list->offset, fmt::format("{} momenta, but {} coordinates. There is one for each, in their order",
                                                world.quasi.size(), world.coordinates.size()));
}

void read_energy(ModelText& text, Reader& reader, const Value& document) {
  const std::string example = "Write [hamiltonian] with H = \"...\"";
  const Value* table = reader.table(document, "hamiltonian", "hamiltonian");
  if (table == nullptr) text.world.source.fail(0, "`[hamiltonian]` is missing. " + example);
  reader.only(*table, "[hamiltonian]", {"hamiltonian"});
  const Value* H = table->find("H");
  if (H == nullptr) text.world.source.fail(table->offset, "[hamiltonian] has no `H`. " + example);
  text.hamiltonian = reader.formula(*H, "the energy H");
}

namespace {

// Without momenta, which are the elements of kMultiplier where H is read.
NodeId without_momenta(Graph& g, NodeId f) {
  return substitute(g, f, [&](NodeId leaf) { return g[leaf].space == kMultiplier ? g.zero() : leaf; });
}

std::vector<NodeId> by_momentum(Graph& g, NodeId f, std::size_t n) {
  std::vector<NodeId> out(n, g.zero());
  for (const Entry& e : gradient(g, f, kMultiplier)) out[static_cast<std::size_t>(e.row.base)] = e.expr;
  return out;
}

}  // namespace

QuasiVelocities build_momenta(ModelText& text, Graph& g) {
  World& world = text.world;
  const Formula& formula = *text.hamiltonian;
  const std::int32_t n = world.coordinates.size();
  const auto size = static_cast<std::size_t>(n);
  Elaborator e(world, g, {.below = 0, .all = true});
  std::vector<NodeId> leaves;
  for (std::int32_t i = 0; i < n; ++i) leaves.push_back(g.variable(kMultiplier, i));
  e.use(leaves, 0);
  const NodeId H = e.expression(formula, rules::kEnergy);
  const std::vector<NodeId> slope = by_momentum(g, H, size);
  NodeMatrix A;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const NodeId row : slope) A.push_back(by_momentum(g, row, size));
  tidy(g, A, n);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) {
      if (depends_on(g, std::span(&A[i][j], 1), kMultiplier))
        formula.fail(0, "the energy is not quadratic in the momenta",
                     "This version takes H = p^T A(t, q) p/2 + b(t, q)^T p + V(t, q)");
      if (j < i && !(g.is_constant(A[i][j], 0.0) && g.is_constant(A[j][i], 0.0))) pairs.emplace_back(i, j);
    }
  QuasiVelocities out;
  out.momenta = true;
  out.names = world.quasi.all();
  out.values.assign(size, g.zero());
  std::vector<NodeId> rest;  // q' - b
  for (std::size_t i = 0; i < size; ++i) {
    const NodeId b = without_momenta(g, slope[i]);
    const auto row = static_cast<std::int32_t>(i);
    if (!g.is_constant(b, 0.0)) out.offset.push_back({b, 0, {row, 0}, {}});
    rest.push_back(g.sub(g.variable(kVelocity, row), b));
    for (std::size_t j = 0; j < size; ++j)
      if (!g.is_constant(A[i][j], 0.0)) out.map.push_back({A[i][j], 0, {row, 0}, {static_cast<std::int32_t>(j), 0}});
  }
  for (const std::vector<std::size_t>& block : connected(size, pairs)) {
    NodeMatrix part;
    std::string names;
    for (const std::size_t i : block) {
      names += (names.empty() ? "`" : ", `") + out.names[i] + "`";
      part.emplace_back();
      for (const std::size_t j : block) part.back().push_back(A[i][j]);
    }
    if (block.size() > kLargestBlock)
      formula.fail(0,
                   fmt::format("{} momenta hang together ({}), and this version inverts {} at most", block.size(),
                               names, kLargestBlock),
                   "Write the system with its Lagrangian");
    const std::optional<NodeMatrix> inverse = inverse_of(g, part, n);
    if (!inverse)
      formula.fail(0, "the second derivatives of the energy by " + names + " have no inverse: velocities do not follow",
                   "Every momentum needs a kinetic energy");
    for (std::size_t i = 0; i < block.size(); ++i)
      for (std::size_t j = 0; j < block.size(); ++j) {
        const NodeId entry = (*inverse)[i][j];
        if (g.is_constant(entry, 0.0)) continue;
        out.inverse.push_back(
            {entry, 0, {static_cast<std::int32_t>(block[i]), 0}, {static_cast<std::int32_t>(block[j]), 0}});
        NodeId& p = out.values[block[i]];
        p = g.add(p, g.mul(entry, rest[block[j]]));
      }
  }
  return out;
}

void put_lagrangian(ModelText& text, Graph& g, Model& model) {
  const QuasiVelocities& quasi = model.quasi;
  NodeId twice = g.zero();
  for (std::size_t i = 0; i < quasi.values.size(); ++i) {
    NodeId rate = g.variable(kVelocity, static_cast<std::int32_t>(i));
    for (const Entry& b : quasi.offset)
      if (b.row.base == static_cast<std::int32_t>(i)) rate = g.sub(rate, b.expr);
    twice = g.add(twice, g.mul(rate, quasi.values[i]));
  }
  const NodeId kinetic = g.mul(g.constant(0.5), twice);
  Elaborator e(text.world, g, {.below = 0, .all = true});
  e.use(std::vector<NodeId>(quasi.values.size(), g.zero()), 0);
  const NodeId V = e.expression(*text.hamiltonian, rules::kEnergy);
  model.lagrangian = g.sub(kinetic, V);
  if (quasi.offset.empty()) {
    model.kinetic = kinetic;
    model.potential = V;
  }
}

}  // namespace rattleback::front
