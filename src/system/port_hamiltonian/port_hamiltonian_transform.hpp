// Other forms of a port-Hamiltonian system that are port-Hamiltonian again.
#pragma once

#include <vector>

#include "model/kinds/port_hamiltonian.hpp"

namespace rattleback {

// Time as a further state s, with s' = 1 as an input of power 0:  [Symank2025, 4.2.3; the printed P has a 1 that makes W
// indefinite and stops the time]
//   E~ = [E r; 0 1],  z~ = (z, 0),  B~ = [B 0; 0 1],  u~ = (u, 1),  r~ = 0.
// Starts at s = 0 when t does.
PortHamiltonian autonomous(const PortHamiltonian& system);

// x = V x~ and the equations multiplied by U^T, both regular and row-major n x n:  [Symank2025, 4.2.2]
//   E~ = U^T E V,  J~ = U^T J U,  R~ = U^T R U,  B~ = U^T B,  P~ = U^T P,  r~ = U^T r,  z = U z~.
// H, u, y and the power balance stay as they are. Throws Error when one of them is singular.
PortHamiltonian transformed(const PortHamiltonian& system, const std::vector<double>& V, const std::vector<double>& U);

// A model with this system in place of its own, and its start.
Model with_system(const Model& model, const PortHamiltonian& system, std::vector<double> start);

}  // namespace rattleback
