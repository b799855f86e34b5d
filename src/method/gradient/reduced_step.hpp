// Energy-preserving steps on mechanical systems: the state stays (q, v), the step is taken in momenta.
#pragma once

#include "method/gradient/energy_step.hpp"
#include "system/mechanical/reduced.hpp"

namespace rattleback {

// In (q, rho) of the reduced system, which has no constraints: keeps the energy and, since v = X y, every constraint
// A(q) v = 0. gonzalez-r is rule gonzalez. [Celledoni2016, section 3.3]
//
// Where forces act, the energy changes by exactly their work: stored = supplied - dissipated (Equations::power). `damping`
// holds the coefficients D of the dissipative part -D v of the forces, by row and column; the rest is supplied.
//
// parts: of a composed step. The basis is chosen at its beginning and kept for all of them, or they would not be steps of one
// method. They pass on the number of the next part, and the choice.
Equations reduced_energy_step(const Reduced& reduced, std::int32_t multipliers, const EnergyRule& rule,
                              const Entries& damping = {}, int parts = 1);

// In (q, p) with multipliers, A(qbar) G_p = 0 for the discrete gradient G: keeps the energy, not the constraint at the end
// points. [Celledoni2016, eq. 15]
Equations canonical_gonzalez_step(const Canonical& canonical, const Entries& damping = {});

}  // namespace rattleback
