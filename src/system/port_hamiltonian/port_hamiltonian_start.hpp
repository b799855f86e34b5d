// Consistent starts of port-Hamiltonian descriptor systems.
#pragma once

#include "system/start/start.hpp"

namespace rattleback {

// The algebraic equations of a system. Those that contain an algebraic state determine it (index 1); the others constrain
// the differential states, and their time derivatives determine algebraic states (index 2).
struct AlgebraicPart {
  std::vector<std::int32_t> determining, constraining;  // rows
  std::vector<NodeId> constraints;                      // (J - R) z + (B - P) u - r of the constraining rows
};
AlgebraicPart algebraic_part(PortHamiltonian& system);

// The given differential states, with the algebraic ones solved for. Throws Error when a constraint is violated, unless
// `project`.
Start port_hamiltonian_start(const System& system, bool project);

}  // namespace rattleback
