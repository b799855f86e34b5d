#include "model/kinds/build_port_hamiltonian.hpp"

#include <algorithm>

#include "model/kinds/build_matrix.hpp"

namespace rattleback::front {

std::vector<char> algebraic_columns(const Graph& g, const Entries& E, std::int32_t states) {
  std::vector<char> out(static_cast<std::size_t>(states), 1);
  for (const Entry& e : E)
    if (!g.is_constant(e.expr, 0.0))
      for (std::int32_t i = 0; i < std::max(1, e.count); ++i) out[static_cast<std::size_t>(e.col.at(i))] = 0;
  return out;
}

void build_port_hamiltonian(ModelText& text, Elaborator& e, Model& model) {
  const Rules& rules = rules::kPortHamiltonian;
  const PortHamiltonianText& from = text.ph;
  PortHamiltonianParts& to = model.ph;
  const Point start{0.0, model.q0, {}, {}};
  const auto lines = [&](const std::vector<Line>& list) {
    Entries out;
    for (const Line& line : list) e.line(line, rules, out);
    return out;
  };
  model.hamiltonian = e.expression(*text.hamiltonian, rules);
  to.E = build_matrix(from.E, e, rules, model.coordinates, start);
  const std::vector<char> algebraic = algebraic_columns(e.graph(), to.E, model.coordinates.size());
  for (const auto& [state, who] : text.held_by)
    if (algebraic[static_cast<std::size_t>(state)] != 0) refuse_to_hold(who);
  to.J = build_matrix(from.J, e, rules, model.coordinates, start);
  to.R = build_matrix(from.R, e, rules, model.coordinates, start);
  to.r = lines(from.r);
  to.z = lines(from.z);
  auto given = static_cast<std::uint32_t>(model.parameters.size());
  for (const InputText& input : from.inputs) {
    PortHamiltonianParts::Input& made = to.inputs.emplace_back();
    made.name = input.name;
    made.u = input.data ? interpolated(e.graph(), *input.data, e.graph().variable(kTime, 0))
             : input.u  ? e.expression(*input.u, rules)
                        : e.graph().input(given++, 0.0);
    made.B = lines(input.B);
    made.P = lines(input.P);
  }
  to.S = build_matrix(from.S, e, rules, from.input_names, start);
  to.N = build_matrix(from.N, e, rules, from.input_names, start);
}

}  // namespace rattleback::front
