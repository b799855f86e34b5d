// What system/mechanical/inertia.hpp says, for systems whose families stay families: which constraints lend inertia to the
// motions that the Lagrangian gives none.
//
// Squares of constraints fill the mass matrix, so as few kinds of constraints as possible are taken: those whose rows have
// the fewest elements first (|e| = 1 of a quaternion before the joints), until L_vv is positive.
#pragma once

#include "system/families/family_mechanical.hpp"

namespace rattleback {

// c: one for each constraint, 0 where it is not needed; empty: nothing is added. Of f only k, K and the mass as written are
// looked at.
AddedInertia family_inertia(const FamilyMechanical& f, const Model& model);

}  // namespace rattleback
