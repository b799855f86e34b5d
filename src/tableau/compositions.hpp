// Symmetric compositions: a symmetric method Phi of order 2 becomes one of order 4, 6 or 8 by
//   Phi_{gamma_n h} ∘ ... ∘ Phi_{gamma_1 h},    sum gamma_i = 1,    gamma_i = gamma_{n+1-i}.      [HLW2006, V.3.2]
// Some gamma_i are negative: the step goes back in time there.
#pragma once

#include <string>
#include <vector>

namespace rattleback {

struct Composition {
  int order = 0;
  std::string name;
  std::vector<double> gamma;
};

Composition composition(int order);  // order 2, 4, 6 or 8; anything else throws Error

}  // namespace rattleback
