// The quartic particles: as the contact oscillator (contact_oscillator.cpp has the two schemes), with three w in place of y:
// x' + sum w_i z_i' = 0.
#include "kernels/kernels.hpp"

#include <cmath>

namespace kernels {

void mclachlan_perlmutter(QuarticParticles& state, double h, std::int64_t steps) {
  const double half = 0.5 * h;
  auto [x, w1, w2, w3, z1, z2, z3] = state.q;
  auto [vx, u1, u2, u3, v1, v2, v3] = state.v;  // u = w', v = z'
  for (std::int64_t k = 0; k < steps; ++k) {
    x += half * vx;
    w1 += half * u1;
    w2 += half * u2;
    w3 += half * u3;
    z1 += half * v1;
    z2 += half * v2;
    z3 += half * v3;
    const double zz1 = z1 * z1, zz2 = z2 * z2, zz3 = z3 * z3;
    vx -= h * x;
    v1 -= h * (z1 + z1 * (w1 * w1 + zz2));
    v2 -= h * (z2 + z2 * (w2 * w2 + zz1));
    v3 -= h * (z3 + z3 * (w3 * w3));
    u1 -= h * (w1 + w1 * zz1);
    u2 -= h * (w2 + w2 * zz2);
    u3 -= h * (w3 + w3 * zz3);
    const double e1 = w1 + half * u1, e2 = w2 + half * u2, e3 = w3 + half * u3;
    const double s = (vx + e1 * v1 + e2 * v2 + e3 * v3) / (1.0 + e1 * w1 + e2 * w2 + e3 * w3);
    vx -= s;
    v1 -= w1 * s;
    v2 -= w2 * s;
    v3 -= w3 * s;
    x += half * vx;
    z1 += half * v1;
    z2 += half * v2;
    z3 += half * v3;
    w1 = e1;
    w2 = e2;
    w3 = e3;
  }
  state = {{x, w1, w2, w3, z1, z2, z3}, {vx, u1, u2, u3, v1, v2, v3}};
}

void spark_lobatto_ab(QuarticParticles& state, double h, std::int64_t steps) {
  const double half = 0.5 * h;
  const auto& [q, v] = state;  // plain copies of them: clang 14 has no structured bindings in lambdas
  double x = q[0], w1 = q[1], w2 = q[2], w3 = q[3], z1 = q[4], z2 = q[5], z3 = q[6];
  double vx = v[0], u1 = v[1], u2 = v[2], u3 = v[3], v1 = v[4], v2 = v[5], v3 = v[6];
  double f1, f2, f3, g1, g2, g3;  // minus the forces on w and z
  const auto forces = [&] {
    const double zz1 = z1 * z1, zz2 = z2 * z2, zz3 = z3 * z3;
    f1 = w1 + w1 * zz1;
    f2 = w2 + w2 * zz2;
    f3 = w3 + w3 * zz3;
    g1 = z1 + z1 * (w1 * w1 + zz2);
    g2 = z2 + z2 * (w2 * w2 + zz1);
    g3 = z3 + z3 * (w3 * w3);
  };
  const auto kick = [&] {
    vx -= half * x;
    u1 -= half * f1;
    u2 -= half * f2;
    u3 -= half * f3;
    v1 -= half * g1;
    v2 -= half * g2;
    v3 -= half * g3;
  };
  const auto react = [&](double e1, double e2, double e3) {  // until (1, 0, e) v = 0
    const double s = (vx + e1 * v1 + e2 * v2 + e3 * v3) / (1.0 + e1 * w1 + e2 * w2 + e3 * w3);
    vx -= s;
    v1 -= w1 * s;
    v2 -= w2 * s;
    v3 -= w3 * s;
  };
  forces();
  for (std::int64_t k = 0; k < steps; ++k) {
    kick();
    react(w1 + half * u1, w2 + half * u2, w3 + half * u3);
    x += h * vx;
    w1 += h * u1;
    w2 += h * u2;
    w3 += h * u3;
    z1 += h * v1;
    z2 += h * v2;
    z3 += h * v3;
    forces();
    kick();
    react(w1, w2, w3);
  }
  state = {{x, w1, w2, w3, z1, z2, z3}, {vx, u1, u2, u3, v1, v2, v3}};
}

Audit audit(const QuarticParticles& state) {
  const double* w = state.q + 1;
  const double* z = state.q + 4;
  double twice = z[0] * z[0] * z[1] * z[1], k = state.v[0];
  for (int i = 0; i < 7; ++i) twice += state.q[i] * state.q[i] + state.v[i] * state.v[i];
  for (int i = 0; i < 3; ++i) {
    twice += w[i] * w[i] * z[i] * z[i];
    k += w[i] * state.v[4 + i];
  }
  return {twice / 2.0, std::fabs(k)};
}

}  // namespace kernels
