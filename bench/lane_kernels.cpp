// mclachlan-perlmutter as in kernels.cpp, in lanes.
//
// rattle:  V = v0 + h/2 f - M^-1 G(q0)^T s,  q1 = q0 + h V,  g(q1) = 0;   v1 = V + h/2 f - M^-1 G(q1)^T r,  G(q1) v1 = 0
// with the force f of gravity. g(q1) = 0 is quadratic in the two multipliers: Newton's iteration from values that are
// extrapolated through three steps, until no lane is changed by more than rounding. The second equation is linear.
#include "lane_kernels.hpp"

namespace kernels {
namespace {

typedef double Vector __attribute__((vector_size(32)));
typedef long long Mask __attribute__((vector_size(32)));
constexpr int kWidth = 4;

Vector load(const double* x) { return *reinterpret_cast<const Vector*>(x); }
void store(double* x, Vector value) { *reinterpret_cast<Vector*>(x) = value; }
Vector size_of(Vector x) {
  constexpr long long kNoSign = 0x7fffffffffffffff;
  return reinterpret_cast<Vector>(reinterpret_cast<Mask>(x) & Mask{kNoSign, kNoSign, kNoSign, kNoSign});
}
bool any(Mask m) { return (m[0] | m[1] | m[2] | m[3]) != 0; }

}  // namespace

template <int Lanes>
void mclachlan_perlmutter(ContactOscillators<Lanes>& state, double h, std::int64_t steps) {
  constexpr int kVectors = Lanes / kWidth;
  const double half = 0.5 * h, h_eps = h * state.eps;
  Vector x[kVectors], y[kVectors], z[kVectors], vx[kVectors], vy[kVectors], vz[kVectors];
  for (int c = 0; c < kVectors; ++c) {
    const int l = c * kWidth;
    x[c] = load(state.q[0] + l), y[c] = load(state.q[1] + l), z[c] = load(state.q[2] + l);
    vx[c] = load(state.v[0] + l), vy[c] = load(state.v[1] + l), vz[c] = load(state.v[2] + l);
  }
  for (std::int64_t k = 0; k < steps; ++k)
#pragma GCC unroll 8
    for (int c = 0; c < kVectors; ++c) {
      const Vector xm = x[c] + half * vx[c], ym = y[c] + half * vy[c], zm = z[c] + half * vz[c];
      vx[c] -= xm * (h + h_eps * (zm * zm));
      vy[c] -= h * ym;
      vz[c] -= zm * (h + h_eps * (xm * xm));
      y[c] = ym + half * vy[c];
      const Vector s = (vx[c] + y[c] * vz[c]) / (1.0 + y[c] * ym);
      vx[c] -= s;
      vz[c] -= ym * s;
      x[c] = xm + half * vx[c];
      z[c] = zm + half * vz[c];
    }
  for (int c = 0; c < kVectors; ++c) {
    const int l = c * kWidth;
    store(state.q[0] + l, x[c]), store(state.q[1] + l, y[c]), store(state.q[2] + l, z[c]);
    store(state.v[0] + l, vx[c]), store(state.v[1] + l, vy[c]), store(state.v[2] + l, vz[c]);
  }
}

template <int Lanes>
void rattle(DoublePendulums<Lanes>& state, double h, std::int64_t steps) {
  const double i1 = 1.0 / state.m1, i2 = 1.0 / state.m2, half_g = 0.5 * h * state.g;
  const double w1 = state.l1 * state.l1, w2 = state.l2 * state.l2, h1 = h * i1, h12 = h * (i1 + i2);
  // All vectors take a step before any takes the next: the processor works at several of them at a time.
  for (std::int64_t k = 0; k < steps; ++k, ++state.taken) {
    double(&newest)[2][Lanes] = state.guess[state.taken % 3], (&second)[2][Lanes] = state.guess[(state.taken + 2) % 3],
    (&third)[2][Lanes] = state.guess[(state.taken + 1) % 3];
    const bool warm = state.taken >= 3;
    for (int l = 0; l < Lanes; l += kWidth) {
      Vector x1 = load(state.q[0] + l), y1 = load(state.q[1] + l), x2 = load(state.q[2] + l), y2 = load(state.q[3] + l);
      Vector u1 = load(state.v[0] + l), v1 = load(state.v[1] + l), u2 = load(state.v[2] + l), v2 = load(state.v[3] + l);
      Vector s1 = load(newest[0] + l), s2 = load(newest[1] + l), dx = x2 - x1, dy = y2 - y1;
      if (warm) {
        s1 = 3.0 * (s1 - load(second[0] + l)) + load(third[0] + l);
        s2 = 3.0 * (s2 - load(second[1] + l)) + load(third[1] + l);
      }
      v1 -= half_g;
      v2 -= half_g;
      // Positions at the end without reactions, and what the multipliers do to them.
      const Vector ex = x1 + h * u1, ey = y1 + h * v1, fx = dx + h * (u2 - u1), fy = dy + h * (v2 - v1);
      for (int iteration = 0; iteration < 20; ++iteration) {
        const Vector px = ex - h1 * (s1 * x1 - s2 * dx), py = ey - h1 * (s1 * y1 - s2 * dy);
        const Vector rx = fx + h1 * s1 * x1 - h12 * s2 * dx, ry = fy + h1 * s1 * y1 - h12 * s2 * dy;
        const Vector g1 = 0.5 * (px * px + py * py - w1), g2 = 0.5 * (rx * rx + ry * ry - w2);
        const Vector pa = px * x1 + py * y1, pd = px * dx + py * dy, ra = rx * x1 + ry * y1, rd = rx * dx + ry * dy;
        const Vector A = -h1 * pa, B = h1 * pd, C = h1 * ra, D = -h12 * rd, inverse = 1.0 / (A * D - B * C);
        const Vector d1 = (D * g1 - B * g2) * inverse, d2 = (A * g2 - C * g1) * inverse;
        s1 -= d1;
        s2 -= d2;
        // Corrections square: after one below the root of rounding the next would be below rounding.
        if (!any(size_of(d1) + size_of(d2) > 1e-9 * (size_of(s1) + size_of(s2) + 1e-300))) break;
      }
      store(third[0] + l, s1), store(third[1] + l, s2);  // the oldest becomes the newest
      u1 -= i1 * (s1 * x1 - s2 * dx);
      v1 -= i1 * (s1 * y1 - s2 * dy);
      u2 -= i2 * s2 * dx;
      v2 -= i2 * s2 * dy;
      x1 += h * u1;
      y1 += h * v1;
      x2 += h * u2;
      y2 += h * v2;
      dx = x2 - x1;
      dy = y2 - y1;
      v1 -= half_g;
      v2 -= half_g;
      const Vector k1 = x1 * u1 + y1 * v1, k2 = dx * (u2 - u1) + dy * (v2 - v1);
      const Vector aa = i1 * (x1 * x1 + y1 * y1), ad = -i1 * (x1 * dx + y1 * dy), dd = (i1 + i2) * (dx * dx + dy * dy);
      const Vector inverse = 1.0 / (aa * dd - ad * ad), r1 = (dd * k1 - ad * k2) * inverse,
                   r2 = (aa * k2 - ad * k1) * inverse;
      store(state.q[0] + l, x1), store(state.q[1] + l, y1), store(state.q[2] + l, x2), store(state.q[3] + l, y2);
      store(state.v[0] + l, u1 - i1 * (r1 * x1 - r2 * dx)), store(state.v[1] + l, v1 - i1 * (r1 * y1 - r2 * dy));
      store(state.v[2] + l, u2 - i2 * r2 * dx), store(state.v[3] + l, v2 - i2 * r2 * dy);
    }
  }
}

template void mclachlan_perlmutter(ContactOscillators<8>&, double, std::int64_t);
template void mclachlan_perlmutter(ContactOscillators<16>&, double, std::int64_t);
template void mclachlan_perlmutter(ContactOscillators<32>&, double, std::int64_t);
template void rattle(DoublePendulums<8>&, double, std::int64_t);
template void rattle(DoublePendulums<16>&, double, std::int64_t);
template void rattle(DoublePendulums<32>&, double, std::int64_t);

}  // namespace kernels
