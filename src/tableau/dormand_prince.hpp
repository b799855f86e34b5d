// The explicit Runge-Kutta method of order 8 by Dormand and Prince, with the two error estimates and the dense output of the
// code DOP853.
#pragma once

#include <cstddef>
#include <vector>

#include "tableau/tableau.hpp"

namespace rattleback {

// error5 = b - b^ with a b^ of order 5, error3 likewise with order 3: h sum_j error_j k_j estimates the error of b^.
struct EmbeddedTableau {
  Tableau main;
  std::vector<double> error5, error3;
};

EmbeddedTableau dormand_prince_853();

// Dense output of order 7: the 12 stages, one at the end of the step and three more. With the weights b(theta), 0 <= theta
// <= 1, y0 + h sum_j b_j(theta) k_j is the state after theta h up to O(h^8). [HairerNorsettWanner1993, II.6]
struct DenseExtension {
  static constexpr std::size_t kStages = 16;
  std::vector<double> A, c;  // all stages
  std::vector<double> d;     // the four rows of coefficients of the polynomial
  void weights(double theta, std::vector<double>& b) const;
};

DenseExtension dormand_prince_extension();

}  // namespace rattleback
