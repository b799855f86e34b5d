// What constraints say of the joints of bodies:
//
// - rows such as x1 + a cos(phi1) - x2 - b cos(phi2) for x, y and z, whatever turns the bodies (angles, quaternions) and
//   through however many definitions it is written. A rod leads from each body's point to the joint;
// - loops of vectors: rows such as r cos(phi1) + l cos(phi2) - s. Each vector of constant length is a rod.
#pragma once

#include "report/view_builder.hpp"

namespace rattleback::report {

void find_joints(ViewBuilder& builder);

}  // namespace rattleback::report
