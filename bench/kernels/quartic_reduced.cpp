// dg-gonzalez on the reduced quartic particles: x1 = x0 + h Pi(m) G, m = (x0 + x1)/2, D = x1 - x0,
//   G = g + theta D,   g = grad H(m),   theta = (H(x1) - E - g.D)/|D|^2,   E the energy at the start of the run.
// With r = rho_1..3, e = rho_4..6, kappa = (w.e)/(1 + |w|^2):
//   x' = w.G_e    w' = G_r    z' = -G_e    r' = -G_w - kappa G_e    e' = G_z - w G_x + kappa G_r
// The iteration is on the midpoint: first x, w, z from r and e, then r and e from the new x, w, z, so that an error shrinks by
// about h^2/4 times a stiffness. theta is renewed after every second of these sweeps: it needs a consistent D.
//
// The state is four vectors of four numbers: (w, 0), (z, x), (r, 0), (e, 0).
#include <cmath>

#include "kernels/kernels.hpp"

namespace kernels {
namespace {

using Four = double __attribute__((vector_size(32)));

struct State {
  Four w, z, r, e;
};

double sum(Four x) {
  const Four y = x + __builtin_shufflevector(x, x, 2, 3, 0, 1);
  return y[0] + y[1];
}
Four all(double x) { return Four{x, x, x, x}; }

double kappa_of(const State& s) { return sum(s.w * s.e) / (1.0 + sum(s.w * s.w)); }

double hamiltonian(const State& s) {
  const Four ww = s.w * s.w, zz = s.z * s.z, we = s.w * s.e;
  const double w_e = sum(we);
  return 0.5 * (sum(s.r * s.r + s.e * s.e + ww + zz + ww * zz) + zz[0] * zz[1] - w_e * w_e / (1.0 + sum(ww)));
}

State state_of(const double* q) {
  return {Four{q[1], q[2], q[3], 0.0}, Four{q[4], q[5], q[6], q[0]}, Four{q[7], q[8], q[9], 0.0},
          Four{q[10], q[11], q[12], 0.0}};
}

}  // namespace

void dg_gonzalez(QuarticReduced& state, double h, std::int64_t steps) {
  const double half = 0.5 * h;
  const Four three = {half, half, half, 0.0};
  State s = state_of(state.q);
  auto& memory = state.memory;
  if (memory.h == 0.0) state.energy = hamiltonian(s);
  memory.begin(h);
  double theta = 0.0;
  for (std::int64_t step = 0; step < steps; ++step) {
    alignas(32) double guess[16];
    memory.predict(guess);
    auto* const u = reinterpret_cast<Four*>(guess);  // the increments m - x0
    Four dw = u[0], dz = u[1], dr = u[2], de = u[3];
    State m = {s.w + dw, s.z + dz, s.r + dr, s.e + de}, end{};
    double previous = 0.0, kappa = kappa_of(m);
    for (int iteration = 0; iteration < 60; ++iteration) {
      const Four wb = dw, zb = dz, rb = dr, eb = de;
      Four gw, gz, ge;
      for (int sweep = 0; sweep < 2; ++sweep) {
        const Four twice = all(2.0 * theta);  // D = 2 (m - x0)
        const Four Ge = m.e - kappa * m.w + twice * de;
        dw = three * (m.r + twice * dr);
        dz = -half * Ge + Four{0.0, 0.0, 0.0, half * sum(m.w * Ge)};
        m.w = s.w + dw;
        m.z = s.z + dz;
        kappa = kappa_of(m);
        const Four zz = m.z * m.z, pair = {zz[1], zz[0], 0.0, 0.0};
        gw = m.w * (1.0 + zz + kappa * kappa) - kappa * m.e;
        gz = m.z * (1.0 + m.w * m.w + pair);
        ge = m.e - kappa * m.w;
        const Four Gz = gz + twice * dz;
        const Four fr = gw + twice * dw + kappa * (ge + twice * de), fe = Gz - m.w * Gz[3] + kappa * (m.r + twice * dr);
        dr = -half * fr;
        de = three * fe;
        m.r = s.r + dr;
        m.e = s.e + de;
      }
      end = {s.w + 2.0 * dw, s.z + 2.0 * dz, s.r + 2.0 * dr, s.e + 2.0 * de};
      const double gd = sum(gw * dw + gz * dz + m.r * dr + ge * de), dd = sum(dw * dw + dz * dz + dr * dr + de * de);
      theta = (0.25 * (hamiltonian(end) - state.energy) - 0.5 * gd) / dd;
      const Four cw = dw - wb, cz = dz - zb, cr = dr - rb, ce = de - eb;
      const double change = sum(cw * cw + cz * cz + cr * cr + ce * ce);  // squared
      if (change * change < 1e-33 * previous || change < 1e-31) break;
      previous = change;
    }
    u[0] = dw;
    u[1] = dz;
    u[2] = dr;
    u[3] = de;
    memory.remember(guess);
    s = end;
  }
  const double q[13] = {s.z[3], s.w[0], s.w[1], s.w[2], s.z[0], s.z[1], s.z[2],
                        s.r[0], s.r[1], s.r[2], s.e[0], s.e[1], s.e[2]};
  for (int i = 0; i < 13; ++i) state.q[i] = q[i];
}

Audit audit(const QuarticReduced& state) { return {hamiltonian(state_of(state.q)), 0.0}; }

}  // namespace kernels
