// What constraints say of places that are formulas and not coordinates:
//
// - joints of bodies: rows such as x1 + a cos(phi1) - x2 - b cos(phi2) for x, y and z, whatever turns the bodies (angles,
//   quaternions) and through however many definitions it is written. A rod leads from each body's point to the joint;
// - loops of vectors: rows such as r cos(phi1) + l cos(phi2) - s. Each vector of constant length is a rod;
// - distances between places that [define] has as `xA`, `yA` or `A_x`, `A_y`;
// - without constraints and points among the coordinates: such places at constant distances.
#pragma once

#include <cstdint>
#include <set>

#include "report/view.hpp"

namespace rattleback::report {

// Adds them to a view that has the points and rods of coordinates; `taken` are the constraints that are explained already.
void find_joints(const Model& model, const std::set<std::int32_t>& taken, View& view);

}  // namespace rattleback::report
