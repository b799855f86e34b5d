#include <cmath>
#include <random>

#include "model/kinds/build_port_hamiltonian.hpp"
#include "model/kinds/port_hamiltonian_structure.hpp"
#include "rattleback/error.hpp"

namespace rattleback::front {
namespace {

// The line of a matrix that gives an entry, or the one across the diagonal.
const Formula* formula_of(const MatrixText& matrix, std::int32_t row, std::int32_t col) {
  for (const MatrixLine& line : matrix.lines)
    for (const auto& [i, j] : line.places)
      if ((i == row && j == col) || (i == col && j == row)) return &line.formula;
  return nullptr;
}

const Formula* formula_of(const std::vector<Line>& lines, std::int32_t row) {
  for (const Line& line : lines)
    if (row >= line.row && row < line.row + line.count()) return &line.formula;
  return nullptr;
}

[[noreturn]] void refuse(const ModelText& text, const StructureFault& fault, const std::string& where) {
  const PortHamiltonianText& ph = text.ph;
  const std::string what = fault.text + where;
  const Formula* place = nullptr;
  std::string advice;
  switch (fault.what) {
    case StructureFault::What::skew:
    case StructureFault::What::symmetric:
      place = formula_of(fault.matrix == "J"   ? ph.J
                         : fault.matrix == "R" ? ph.R
                         : fault.matrix == "S" ? ph.S
                                               : ph.N,
                         fault.row, fault.col);
      advice = "Give one of the two; the other follows";
      break;
    case StructureFault::What::semidefinite:
      if (fault.matrix == "P")
        place = formula_of(ph.inputs[static_cast<std::size_t>(fault.col)].P, fault.row);
      else
        place = formula_of(fault.matrix == "R" ? ph.R : ph.S, fault.row, fault.col);
      if (place == nullptr && !ph.R.lines.empty()) place = &ph.R.lines.front().formula;
      advice = "Dissipation must not give energy: check its sign, or make what gives energy an input";
      break;
    case StructureFault::What::gradient:
      place = formula_of(ph.z, fault.row);
      advice = "Correct [z], [E] or the Hamiltonian";
      break;
    case StructureFault::What::time: advice = "Correct [r], [z] or the Hamiltonian"; break;
  }
  if (place == nullptr) place = &*text.hamiltonian;
  place->fail(0, what, advice);
}

}  // namespace

void check_port_hamiltonian(const ModelText& text, const Model& model) {
  PortHamiltonianStructure structure{PortHamiltonian(model)};
  if (const auto fault = structure.fault(0.0, model.q0)) refuse(text, *fault, " at the start");
  // At a special start (all velocities 0) a wrong factor does not show: the identities are tried near it too.
  std::mt19937_64 random(11);
  const auto spread = [&random] { return static_cast<double>(random() >> 11U) * 0x1p-52 - 1.0; };
  for (int trial = 0; trial < 4; ++trial) {
    std::vector<double> x = model.q0;
    for (double& e : x) e += 0.3 * (1.0 + std::fabs(e)) * spread();
    if (const auto fault = structure.identity_fault(0.1 * trial, x)) refuse(text, *fault, " near the start");
  }
}

}  // namespace rattleback::front
