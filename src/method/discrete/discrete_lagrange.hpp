// Discrete Lagrange-d'Alembert methods, as equations of one step.
#pragma once

#include "step/equations.hpp"
#include "system/mechanical/mechanical.hpp"

namespace rattleback {

// Results of all: q1, v1, psi.
Equations mclachlan_perlmutter_step(const Mechanical& system);
Equations cortes_martinez_start(const Mechanical& system);
Equations cortes_martinez_step(const Mechanical& system);

}  // namespace rattleback
