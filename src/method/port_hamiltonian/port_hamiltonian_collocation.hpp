// Runge-Kutta steps with invertible A on port-Hamiltonian descriptor systems.
#pragma once

#include <optional>

#include "model/kinds/port_hamiltonian.hpp"
#include "step/equations.hpp"
#include "tableau/tableau.hpp"

namespace rattleback {

// The states of a derived port-Hamiltonian form are (q, v, lambda): n positions, n velocities and m multipliers. The run's
// own state is (q, v); the multipliers are not carried from step to step.
struct DerivedStates {
  std::int32_t n = 0, m = 0;
};

Equations collocation_step(const PortHamiltonian& system, const Tableau& tableau,
                           const std::optional<DerivedStates>& derived = {});

}  // namespace rattleback
