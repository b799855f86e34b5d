// The velocities that the constraints allow, by a basis that is made once and stays smooth along the motion of a step.
#pragma once

#include <span>

#include "expr/vectors.hpp"
#include "system/mechanical/mechanical.hpp"

namespace rattleback {

// An orthonormal basis X, by column: the last columns of a QR factorisation. What is chosen once for a step (signs of
// reflections, and which coordinates the basis is anchored at) goes to `choice`, and stands in kMultiplier.
// start: a position of the run, around which anchors that last are looked for.
std::vector<Vec> free_directions(Graph& g, const Mechanical& f, std::span<const double> start, Vec& choice);

}  // namespace rattleback
