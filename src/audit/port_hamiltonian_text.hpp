// The matrices of a port-Hamiltonian system as text, for `check`.
#pragma once

#include "model/kinds/port_hamiltonian.hpp"
#include "rattleback/simulate.hpp"

namespace rattleback {

// Entries that are not 0, of the matrices and vectors that have some; H first.
std::vector<CheckReport::MatrixText> port_hamiltonian_text(const PortHamiltonian& system);

}  // namespace rattleback
