// Discrete gradient steps on port-Hamiltonian systems: the power balance is exact for any Hamiltonian.
#pragma once

#include "model/kinds/port_hamiltonian.hpp"
#include "step/equations.hpp"

namespace rattleback {

Equations gonzalez_step(const PortHamiltonian& system);
// Mean of the efforts by Gauss quadrature with so many points; 0: as many as are exact for a polynomial H, else 8.
Equations avf_step(const PortHamiltonian& system, int points = 0);

}  // namespace rattleback
