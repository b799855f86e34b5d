// Numbers between -1 and 1 that have nothing to do with each other; the same ones every time.
#pragma once

#include <cmath>

namespace rattleback::front {

struct Scatter {
  double operator()() {
    x = std::fmod(x + 0.6180339887498949, 1.0);
    y = std::fmod(y + 0.7548776662466927 + 0.1 * x, 1.0);
    return 2.0 * y - 1.0;
  }
  double x = 0.2, y = 0.4;
};

}  // namespace rattleback::front
