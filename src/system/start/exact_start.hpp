// Does [exact] belong to this start?
#pragma once

#include <span>

#include "rattleback/model.hpp"

namespace rattleback {

// Norm of the difference between the start and [exact] at t = 0, over what [exact] names and, for the positions of a
// mechanical system, their rates: a solution that is given by its positions alone has velocities, too. Multipliers are
// not part of a start. What is not finite is left out.
double exact_start_defect(const Model& model, std::span<const double> q, std::span<const double> v);

// [exact] is the solution of another start above this.
inline constexpr double kExactStartTolerance = 1e-8;

}  // namespace rattleback
