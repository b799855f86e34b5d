// A generated step in a program of its own: magnetic_pendulum.hpp was written while this was built, and nothing of
// the library is linked. 1 000 000 steps of RATTLE.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "magnetic_pendulum.hpp"
#include "two_rods.hpp"

int main() {
  demo::MagneticPendulum pendulum;
  const double energy = pendulum.energy();
  double error = 0.0, rod = 0.0;
  for (int i = 0; i < 1000; ++i) {
    const auto end = pendulum.advance(pendulum.kStep, 1000);
    if (!end.ok) {
      std::fprintf(stderr, "stopped at t = %g: %s\n", pendulum.t(), end.reason);
      return 1;
    }
    error = std::max(error, std::fabs(pendulum.energy() - energy));
    rod = std::max(rod, pendulum.position_residual());
  }
  std::printf("t = %g: energy kept to %.1e, rod to %.1e\n", pendulum.t(), error, rod);

  demo::TwoRods rods;  // from the text model double-pendulum
  const bool ok = rods.advance(rods.kStep, 1000).ok;
  std::printf("two rods at t = %g: rods kept to %.1e\n", rods.t(), rods.position_residual());
  return ok && error < 1e-3 && rod < 1e-12 && rods.position_residual() < 1e-12 ? 0 : 1;
}
