// The contact oscillator: unit masses and the constraint x' + y z' = 0 with K = (1, 0, y). No reaction acts on y:
// y at the end of the step is explicit, so the constraint is linear in the multiplier and one division solves it to
// rounding. `s` below is the multiplier times the step (or half of it).
//
// mclachlan-perlmutter:  q+ = q0 + h/2 v0,  v1 = v0 + h f(q+) - s K(q+),  q1 = q+ + h/2 v1,  K(q1) v1 = 0
//
// spark-lobatto-ab, s = 2: both stages have the same velocity V,
//                        V  = v0 + h/2 f(q0) - s K(q0),   q1 = q0 + h V,   (K(q0) + K(q1)) V = 0
//                        v1 = V + h/2 f(q1) - s' K(q1),                     K(q1) v1 = 0
// and f(q1) is kept for the next step.
#include "kernels/kernels.hpp"

#include <cmath>

namespace kernels {

void mclachlan_perlmutter(ContactOscillator& state, double h, std::int64_t steps) {
  const double half = 0.5 * h, h_eps = h * state.eps;
  auto [x, y, z] = state.q;
  auto [vx, vy, vz] = state.v;
  for (std::int64_t k = 0; k < steps; ++k) {
    x += half * vx;
    y += half * vy;
    z += half * vz;
    vx -= x * (h + h_eps * (z * z));
    vy -= h * y;
    vz -= z * (h + h_eps * (x * x));
    const double y1 = y + half * vy;
    const double s = (vx + y1 * vz) / (1.0 + y1 * y);
    vx -= s;
    vz -= y * s;
    x += half * vx;
    y = y1;
    z += half * vz;
  }
  state = {{x, y, z}, {vx, vy, vz}, state.eps};
}

void spark_lobatto_ab(ContactOscillator& state, double h, std::int64_t steps) {
  const double half = 0.5 * h, half_eps = half * state.eps;
  auto [x, y, z] = state.q;
  auto [vx, vy, vz] = state.v;
  double fx = x * (half + half_eps * (z * z)), fz = z * (half + half_eps * (x * x));  // minus half an impulse
  for (std::int64_t k = 0; k < steps; ++k) {
    vx -= fx;
    vy -= half * y;
    vz -= fz;
    const double mean = y + half * vy;  // (y0 + y1)/2
    const double s = (vx + mean * vz) / (1.0 + mean * y);
    vx -= s;
    vz -= y * s;
    x += h * vx;
    y += h * vy;
    z += h * vz;
    fx = x * (half + half_eps * (z * z));
    fz = z * (half + half_eps * (x * x));
    vx -= fx;
    vy -= half * y;
    vz -= fz;
    const double s1 = (vx + y * vz) / (1.0 + y * y);
    vx -= s1;
    vz -= y * s1;
  }
  state = {{x, y, z}, {vx, vy, vz}, state.eps};
}

Audit audit(const ContactOscillator& state) {
  const auto& [x, y, z] = state.q;
  const auto& [vx, vy, vz] = state.v;
  return {(vx * vx + vy * vy + vz * vz + x * x + y * y + z * z + state.eps * x * x * z * z) / 2.0,
          std::fabs(vx + y * vz)};
}

}  // namespace kernels
