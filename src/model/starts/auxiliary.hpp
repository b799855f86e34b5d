// Coordinates without inertia: their starts are guesses, from which they are solved.
#pragma once

#include "model/model_text.hpp"

namespace rattleback::front {

// Solves the holonomic constraints for the auxiliary coordinates, and their time derivatives for the velocities of these,
// with all else as the model's start has it. Refuses coordinates that have inertia, or that the constraints do not
// determine. What the constraints ask of the others is judged with the start.
void solve_auxiliary(const ModelText& text, Model& model);

}  // namespace rattleback::front
