// Extended precision (113 bits) for computing coefficients before they are rounded to double, once. Only + - * / are
// used, which the compiler's own runtime provides: no libquadmath. A square root is a Newton iteration.
#pragma once

#include <cmath>

namespace rattleback {

__extension__ typedef __float128 Real;

// Square root of x >= 0, within the range of double. Newton doubles the correct bits of the double root.
inline Real square_root(Real x) {
  const double start = std::sqrt(static_cast<double>(x));
  if (start == 0.0 || !std::isfinite(start)) return static_cast<Real>(start);
  Real root = static_cast<Real>(start);
  for (int k = 0; k < 3; ++k) root = (root + x / root) / 2;
  return root;
}

}  // namespace rattleback
