// How many quadrature points the average of a gradient needs.
#pragma once

#include <span>

#include "system/first_order/skew_gradient.hpp"

namespace rattleback {

struct AveragePoints {
  int points = 1;
  bool exact = false;  // the gradient is a polynomial of a degree that they integrate exactly
};

// For collocation with `stages` stages and steps of size h from x (with `held` in kMultiplier). Where the gradient is not a
// polynomial, some steps are tried: the average over the straight line between their ends, times that line, must be the
// difference of the energies to rounding.
AveragePoints average_points(const SkewGradient& system, std::span<const double> x, std::span<const double> held,
                             double h, int stages);

}  // namespace rattleback
