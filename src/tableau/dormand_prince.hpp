// The explicit Runge-Kutta method of order 8 by Dormand and Prince, with the two error estimates of the code DOP853.
#pragma once

#include <vector>

#include "tableau/tableau.hpp"

namespace rattleback {

// error5 = b - b^ with a b^ of order 5, error3 likewise with order 3: h sum_j error_j k_j estimates the error of b^.
struct EmbeddedTableau {
  Tableau main;
  std::vector<double> error5, error3;
};

EmbeddedTableau dormand_prince_853();

}  // namespace rattleback
