#include "audit/port_hamiltonian_text.hpp"

namespace rattleback {

std::vector<CheckReport::MatrixText> port_hamiltonian_text(const PortHamiltonian& f) {
  std::vector<CheckReport::MatrixText> out;
  const auto text = [&](NodeId e) {
    return to_string(f.graph, e, [&](const Node& leaf) -> std::string {
      if (leaf.op == Op::input) return "given";  // from outside
      return leaf.space == kTime ? std::string("t") : f.states[static_cast<std::size_t>(leaf.base())];
    });
  };
  const auto begin = [&](const char* name) { out.push_back({name, {}}); };
  const auto put = [&](const std::string& place, NodeId e) {
    if (!f.graph.is_constant(e, 0.0)) out.back().entries.emplace_back(place, text(e));
  };
  const auto finish = [&] {
    if (out.back().entries.empty()) out.pop_back();
  };
  const auto matrix = [&](const char* name, const PortHamiltonian::Matrix& m, const std::vector<std::string>& rows,
                          const std::vector<std::string>& columns) {
    begin(name);
    for (std::size_t i = 0; i < m.size(); ++i)
      for (std::size_t j = 0; j < m[i].size(); ++j) put(rows[i] + "," + columns[j], m[i][j]);
    finish();
  };
  const auto vector = [&](const char* name, const PortHamiltonian::Vector& v, const std::vector<std::string>& rows) {
    begin(name);
    for (std::size_t i = 0; i < v.size(); ++i) put(rows[i], v[i]);
    finish();
  };
  begin("H");
  put("", f.H);
  finish();
  matrix("E", f.E, f.states, f.states);
  matrix("J", f.J, f.states, f.states);
  matrix("R", f.R, f.states, f.states);
  vector("r", f.r, f.states);
  vector("z", f.z, f.states);
  matrix("B", f.B, f.states, f.input_names);
  matrix("P", f.P, f.states, f.input_names);
  matrix("S", f.S, f.input_names, f.input_names);
  matrix("N", f.N, f.input_names, f.input_names);
  vector("u", f.u, f.input_names);
  return out;
}

}  // namespace rattleback
