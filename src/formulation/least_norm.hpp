// Gauss-Newton with least-norm corrections: x moves to the nearest point of f(x) = 0, to first order.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/Core>

namespace rattleback {

// `correction` sets dx, the shortest solution of f'(x) dx = f(x), and returns false when there is none. False when the
// iteration does not converge.
template <class Correction>
bool least_norm_newton(std::vector<double>& x, Correction&& correction) {
  Eigen::VectorXd dx;
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 50; ++k) {
    if (!correction(dx) || !dx.allFinite()) return false;
    double size = 1e-300;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] -= dx(static_cast<Eigen::Index>(i));
      size = std::fmax(size, std::fabs(x[i]));
    }
    const double change = dx.cwiseAbs().maxCoeff() / size;
    if (change <= 1e-16 || (change <= 1e-12 && change >= 0.5 * last)) return true;
    last = change;
  }
  return false;
}

}  // namespace rattleback
