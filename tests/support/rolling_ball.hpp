// The centre of the ball of tests/cases/bowl-*.toml without constraints: n on the unit sphere, its spin s about n is
// constant, and with v = (R-a) n'
//   (m a + I/a) v'_tangential = I s (n' x n) - m g a (e_z - n n_z)
// which follows from the balances of momentum and angular momentum about the point of contact.
#pragma once

#include "support/long_graph.hpp"

namespace rattleback::testing {

// x, y, z, x', y', z' at time `until`, from (x, 0, -sqrt((R-a)^2 - x^2)) and the velocity (0, vy, 0). By the classical
// method in `steps` steps: errors of 1e-12 with 4000 for a unit of time.
Reals centre_of_the_ball(Real x, Real vy, Real spin, Real until, int steps);

}  // namespace rattleback::testing
