// spark-gauss with two stages on the nonholonomic particle: z' = y x', potential x^2 + y^2, unit masses, K = (-y, 0, 1).
//
//   V_i = v0 + h sum_j a_ij (F_j - K_j psi_j)      Q_i = q0 + h sum_j a_ij V_j
//   v1  = v0 + h/2 sum_j (F_j - K_j psi_j)         q1  = q0 + h/2 (V_1 + V_2)
//   k(Q_1, V_1) + k(Q_2, V_2) = 0                  k(q1, v1) = 0
//
// spark_gauss() treats forces and constraint as if they were any functions of the positions: it starts with stage
// velocities and multipliers extrapolated from the steps before, evaluates them, corrects the two multipliers with the
// derivatives of the two conditions, and repeats until nothing changes. The velocities contract by h^2/6 in an iteration.
//
// spark_gauss_linear() uses what is special: y is a free oscillator, and x and the conditions are linear in psi. With
// B = (1 + 2 h^2 a a)^-1 the stages are Y = B (y0 + h c y0') and V_x = x0' - 2 h a B (x0 + h c x0') + h a B (Y psi).
#include <cmath>

#include "kernels/kernels.hpp"
#include "kernels/rods.hpp"

namespace kernels {
namespace {

const double kSixth = std::sqrt(3.0) / 6.0;

}  // namespace

void spark_gauss(NonholonomicParticle& state, double h, std::int64_t steps) {
  const double a11 = 0.25 * h, a12 = h * (0.25 - kSixth), a21 = h * (0.25 + kSixth), half = 0.5 * h;
  double x0 = state.q[0], y0 = state.q[1], z0 = state.q[2];
  double vx0 = state.v[0], vy0 = state.v[1], vz0 = state.v[2];
  auto& memory = state.memory;
  memory.begin(h);
  for (std::int64_t step = 0; step < steps; ++step) {
    double u[6];  // x' and y' of the two stages, psi
    const bool cold = memory.known == 0;
    memory.predict(u);
    if (cold) {
      u[0] = u[1] = vx0;
      u[2] = u[3] = vy0;
    }
    auto& [vx1, vx2, vy1, vy2, psi1, psi2] = u;
    double vz1 = 0.0, vz2 = 0.0, x1 = 0.0, y1 = 0.0, ux = 0.0, uy = 0.0, uz = 0.0, previous = 0.0;
    for (int iteration = 0; iteration < 50; ++iteration) {
      const double X1 = x0 + a11 * vx1 + a12 * vx2, X2 = x0 + a21 * vx1 + a11 * vx2;
      const double Y1 = y0 + a11 * vy1 + a12 * vy2, Y2 = y0 + a21 * vy1 + a11 * vy2;
      y1 = y0 + half * (vy1 + vy2);
      // derivatives of the two conditions: K K^T at pairs of points
      const double k11 = 1.0 + Y1 * Y1, k12 = 1.0 + Y1 * Y2, k22 = 1.0 + Y2 * Y2;
      const double m11 = a11 * k11 + a21 * k12, m12 = a12 * k12 + a11 * k22;
      const double m21 = half * (1.0 + y1 * Y1), m22 = half * (1.0 + y1 * Y2);
      const double fx1 = Y1 * psi1 - 2.0 * X1, fx2 = Y2 * psi2 - 2.0 * X2, fy1 = -2.0 * Y1, fy2 = -2.0 * Y2;
      const double wx1 = vx0 + a11 * fx1 + a12 * fx2, wx2 = vx0 + a21 * fx1 + a11 * fx2;
      const double wy1 = vy0 + a11 * fy1 + a12 * fy2, wy2 = vy0 + a21 * fy1 + a11 * fy2;
      vz1 = vz0 - a11 * psi1 - a12 * psi2;
      vz2 = vz0 - a21 * psi1 - a11 * psi2;
      ux = vx0 + half * (fx1 + fx2);
      uz = vz0 - half * (psi1 + psi2);
      const double e1 = (vz1 - Y1 * wx1) + (vz2 - Y2 * wx2), e2 = uz - y1 * ux;
      const double per = 1.0 / (m11 * m22 - m12 * m21);
      const double d1 = per * (m22 * e1 - m12 * e2), d2 = per * (m11 * e2 - m21 * e1);
      // the corrections of psi act at once
      const double g1 = Y1 * d1, g2 = Y2 * d2;
      const double sx1 = wx1 + a11 * g1 + a12 * g2, sx2 = wx2 + a21 * g1 + a11 * g2;
      const double change =
          largest(largest(sx1 - vx1, sx2 - vx2), largest(largest(wy1 - vy1, wy2 - vy2), largest(h * d1, h * d2)));
      vx1 = sx1;
      vx2 = sx2;
      vy1 = wy1;
      vy2 = wy2;
      psi1 += d1;
      psi2 += d2;
      vz1 -= a11 * d1 + a12 * d2;
      vz2 -= a21 * d1 + a11 * d2;
      ux += half * (g1 + g2);
      uy = vy0 + half * (fy1 + fy2);
      uz -= half * (d1 + d2);
      // the next change would be about change^2/previous
      if (change * change < 1e-17 * previous || change < 1e-15) break;
      previous = change;
    }
    memory.remember(u);
    x1 = x0 + half * (vx1 + vx2);
    x0 = x1;
    y0 = y0 + half * (vy1 + vy2);
    z0 += half * (vz1 + vz2);
    vx0 = ux;
    vy0 = uy;
    vz0 = uz;
  }
  const double q[3] = {x0, y0, z0}, v[3] = {vx0, vy0, vz0};
  for (int i = 0; i < 3; ++i) {
    state.q[i] = q[i];
    state.v[i] = v[i];
  }
}

void spark_gauss_linear(NonholonomicParticle& state, double h, std::int64_t steps) {
  const double a11 = 0.25 * h, a12 = h * (0.25 - kSixth), a21 = h * (0.25 + kSixth), half = 0.5 * h;
  const double c1 = a11 + a12, c2 = a21 + a11;
  // 1 + 2 a a, its inverse B, and a B; a contains h
  const double s11 = 1.0 + 2.0 * (a11 * a11 + a12 * a21), s12 = 4.0 * a11 * a12, s21 = 4.0 * a11 * a21;
  const double det = 1.0 / (s11 * s11 - s12 * s21);
  const double b11 = det * s11, b12 = -det * s12, b21 = -det * s21;
  const double e11 = a11 * b11 + a12 * b21, e12 = a11 * b12 + a12 * b11;
  const double e21 = a21 * b11 + a11 * b21, e22 = a21 * b12 + a11 * b11;
  const double B0 = b11 + b12, B1 = b21 + b11, B0c = b11 * c1 + b12 * c2, B1c = b21 * c1 + b11 * c2;
  const double E0 = 2.0 * (e11 + e12), E1 = 2.0 * (e21 + e22);
  const double E0c = 1.0 - 2.0 * (e11 * c1 + e12 * c2), E1c = 1.0 - 2.0 * (e21 * c1 + e22 * c2);
  double x0 = state.q[0], y0 = state.q[1], z0 = state.q[2];
  double vx0 = state.v[0], vy0 = state.v[1], vz0 = state.v[2];
  for (std::int64_t step = 0; step < steps; ++step) {
    const double Y1 = B0 * y0 + B0c * vy0, Y2 = B1 * y0 + B1c * vy0;
    const double vy1 = E0c * vy0 - E0 * y0, vy2 = E1c * vy0 - E1 * y0;
    const double wx1 = E0c * vx0 - E0 * x0, wx2 = E1c * vx0 - E1 * x0;  // V_x without psi
    const double X1 = x0 + a11 * wx1 + a12 * wx2, X2 = x0 + a21 * wx1 + a11 * wx2;
    const double y1 = y0 + half * (vy1 + vy2), ux = vx0 - h * (X1 + X2);
    // What psi adds: V_x by e (Y psi), V_z by -a psi, v1 by h/2 (Y psi - 2 a e (Y psi)) and -h/2 psi.
    const double f1 = half - h * (a11 * e11 + a12 * e21 + a21 * e11 + a11 * e21);
    const double f2 = half - h * (a11 * e12 + a12 * e22 + a21 * e12 + a11 * e22);
    const double m11 = c1 - a12 + a21 + Y1 * (Y1 * e11 + Y2 * e21), m12 = a12 + a11 + Y2 * (Y1 * e12 + Y2 * e22);
    const double m21 = half + y1 * (f1 * Y1), m22 = half + y1 * (f2 * Y2);
    const double r1 = 2.0 * vz0 - Y1 * wx1 - Y2 * wx2, r2 = vz0 - y1 * ux;
    const double per = 1.0 / (m11 * m22 - m12 * m21);
    const double psi1 = per * (m22 * r1 - m12 * r2), psi2 = per * (m11 * r2 - m21 * r1);
    const double g1 = Y1 * psi1, g2 = Y2 * psi2;
    x0 += half * (wx1 + wx2 + (e11 + e21) * g1 + (e12 + e22) * g2);
    z0 += half * (2.0 * vz0 - (a11 + a21) * psi1 - (a12 + a11) * psi2);
    vx0 = ux + f1 * g1 + f2 * g2;
    vz0 -= half * (psi1 + psi2);
    vy0 -= h * (Y1 + Y2);
    y0 = y1;
  }
  const double q[3] = {x0, y0, z0}, v[3] = {vx0, vy0, vz0};
  for (int i = 0; i < 3; ++i) {
    state.q[i] = q[i];
    state.v[i] = v[i];
  }
}

Audit audit(const NonholonomicParticle& s) {
  double kinetic = 0.0;
  for (const double v : s.v) kinetic += 0.5 * v * v;
  return {kinetic + s.q[0] * s.q[0] + s.q[1] * s.q[1], std::fabs(s.v[2] - s.q[1] * s.v[0])};
}

}  // namespace kernels
