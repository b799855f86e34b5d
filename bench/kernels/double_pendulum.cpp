// rattle and prk-lobatto with three stages on the double pendulum, in its rods (rods.hpp).
//
// prk-lobatto, s = 3. Gravity is constant, so the velocities of the stages can be put into the positions. With r0 the rods at the
// start, s = h^2/12 Psi_1, t = h^2/24 Psi_2 (two numbers each), and u2, u3 the rods in free fall after h/2 and h:
//
//   r2 = u2 -   W s r0 -   W t r2        |r2| = l
//   r3 = u3 - 2 W s r0 - 8 W t r2        |r3| = l
//   w1 = w0 + h g - (2 W s r0 + 16 W t r2)/h, then reactions along r3 until w1 is across the rods.
//
// r2 follows from s and t: with U = (W^-1 + diag t)^-1,  r2 = U (W^-1 u2 - s r0). So there are four unknowns, and since
// W diag(t) U = W - U their derivatives are
//   d r2 = -U (r0 ds + r2 dt),       d r3 = -(8 U - 6 W) r0 ds - 8 U r2 dt.
#include <cmath>

#include "kernels/kernels.hpp"
#include "kernels/rods.hpp"

namespace kernels {
namespace {

Rods<double> rods_of(const DoublePendulum& p) {
  return {p.q[0], p.q[1], p.q[2] - p.q[0], p.q[3] - p.q[1], p.v[0], p.v[1], p.v[2] - p.v[0], p.v[3] - p.v[1]};
}

void put(const Rods<double>& r, DoublePendulum& p) {
  const double q[4] = {r.ax, r.ay, r.ax + r.bx, r.ay + r.by}, v[4] = {r.wax, r.way, r.wax + r.wbx, r.way + r.wby};
  for (int i = 0; i < 4; ++i) {
    p.q[i] = q[i];
    p.v[i] = v[i];
  }
}

struct Block {  // of a 4 x 4 matrix
  double aa, ab, ba, bb;
};
Block inverse(const Block& m) {
  const double per = 1.0 / (m.aa * m.bb - m.ab * m.ba);
  return {per * m.bb, -per * m.ab, -per * m.ba, per * m.aa};
}
Block product(const Block& x, const Block& y) {
  return {x.aa * y.aa + x.ab * y.ba, x.aa * y.ab + x.ab * y.bb, x.ba * y.aa + x.bb * y.ba, x.ba * y.ab + x.bb * y.bb};
}
struct Two {
  double a, b;
};
Two product(const Block& m, Two x) { return {m.aa * x.a + m.ab * x.b, m.ba * x.a + m.bb * x.b}; }

}  // namespace

void rattle(DoublePendulum& state, double h, std::int64_t steps) {
  const RodConstants c = rod_constants(state);
  Rods<double> r = rods_of(state);
  auto& memory = state.memory;
  memory.begin(h);
  for (std::int64_t k = 0; k < steps; ++k) {
    double x[2];
    memory.predict(x, 2);
    rattle_step(c, h, r, x[0], x[1]);
    memory.remember(x, 2);
  }
  put(r, state);
}

void prk_lobatto(DoublePendulum& state, double h, std::int64_t steps) {
  const RodConstants c = rod_constants(state);
  const double m2 = state.m2, both = state.m1 + state.m2, half = 0.5 * h, per_h = 1.0 / h;
  const double i1 = c.i1, sum = c.sum;
  Rods<double> r = rods_of(state);
  auto& memory = state.memory;
  memory.begin(h);
  for (std::int64_t k = 0; k < steps; ++k) {
    const double u2x = r.ax + half * r.wax, u2y = r.ay + half * (r.way - 0.25 * h * c.g);
    const double z2x = r.bx + half * r.wbx, z2y = r.by + half * r.wby;
    const double u3x = r.ax + h * r.wax, u3y = r.ay + h * (r.way - half * c.g);
    const double z3x = r.bx + h * r.wbx, z3y = r.by + h * r.wby;
    const double pax = both * u2x + m2 * z2x, pay = both * u2y + m2 * z2y;  // W^-1 u2
    const double pbx = m2 * (u2x + z2x), pby = m2 * (u2y + z2y);
    double x[4];
    memory.predict(x, 4);
    double &s = x[0], &s2 = x[1], &t = x[2], &t2 = x[3];  // s, s2: along a and b at the start; t, t2: in the middle
    Block U;
    double a2x, a2y, b2x, b2y, a3x, a3y, b3x, b3y, fax, fay, fbx, fby;
    const auto fly = [&] {
      U = inverse({both + t, m2, m2, m2 + t2});
      const double sax = s * r.ax, say = s * r.ay, sbx = s2 * r.bx, sby = s2 * r.by;
      const double gax = pax - sax, gay = pay - say, gbx = pbx - sbx, gby = pby - sby;
      a2x = U.aa * gax + U.ab * gbx;
      a2y = U.aa * gay + U.ab * gby;
      b2x = U.ba * gax + U.bb * gbx;
      b2y = U.ba * gay + U.bb * gby;
      fax = 2.0 * sax + 8.0 * t * a2x;
      fay = 2.0 * say + 8.0 * t * a2y;
      fbx = 2.0 * sbx + 8.0 * t2 * b2x;
      fby = 2.0 * sby + 8.0 * t2 * b2y;
      a3x = u3x - i1 * (fax - fbx);
      a3y = u3y - i1 * (fay - fby);
      b3x = z3x + (i1 * fax - sum * fbx);
      b3y = z3y + (i1 * fay - sum * fby);
    };
    fly();
    // The matrix at the starting values, in blocks: [P Q; R S].
    const Block P = inverse({U.aa * (a2x * r.ax + a2y * r.ay), U.ab * (a2x * r.bx + a2y * r.by),
                             U.ba * (b2x * r.ax + b2y * r.ay), U.bb * (b2x * r.bx + b2y * r.by)});
    const double ab = U.ab * (a2x * b2x + a2y * b2y);
    const Block Q = {U.aa * (a2x * a2x + a2y * a2y), ab, ab, U.bb * (b2x * b2x + b2y * b2y)};
    const double T11 = 8.0 * U.aa - 6.0 * i1, T12 = 8.0 * U.ab + 6.0 * i1, T22 = 8.0 * U.bb - 6.0 * sum;
    const Block R = {T11 * (a3x * r.ax + a3y * r.ay), T12 * (a3x * r.bx + a3y * r.by), T12 * (b3x * r.ax + b3y * r.ay),
                     T22 * (b3x * r.bx + b3y * r.by)};
    const Block L = product(R, P), LQ = product(L, Q);
    const Block S =
        inverse({8.0 * U.aa * (a3x * a2x + a3y * a2y) - LQ.aa, 8.0 * U.ab * (a3x * b2x + a3y * b2y) - LQ.ab,
                 8.0 * U.ba * (b3x * a2x + b3y * a2y) - LQ.ba, 8.0 * U.bb * (b3x * b2x + b3y * b2y) - LQ.bb});
    double first = -1.0;
    for (int iteration = 0; iteration < 50; ++iteration) {
      const Two e2 = {0.5 * (a2x * a2x + a2y * a2y - c.ll1), 0.5 * (b2x * b2x + b2y * b2y - c.ll2)};
      const Two e3 = {0.5 * (a3x * a3x + a3y * a3y - c.ll1), 0.5 * (b3x * b3x + b3y * b3y - c.ll2)};
      const Two Le = product(L, e2);
      const Two dt = product(S, Two{e3.a - Le.a, e3.b - Le.b});
      const Two Qd = product(Q, dt);
      const Two ds = product(P, Two{e2.a - Qd.a, e2.b - Qd.b});
      s += ds.a;
      s2 += ds.b;
      t += dt.a;
      t2 += dt.b;
      fly();
      const double size = largest(largest(ds.a, ds.b), largest(dt.a, dt.b));
      if (first < 0.0) first = size;
      if (size * first < 1e-18) break;
    }
    memory.remember(x, 4);
    r.way -= h * c.g;
    react(c, per_h * (fax + 8.0 * t * a2x), per_h * (fay + 8.0 * t * a2y), per_h * (fbx + 8.0 * t2 * b2x),
          per_h * (fby + 8.0 * t2 * b2y), r);
    r.ax = a3x;
    r.ay = a3y;
    r.bx = b3x;
    r.by = b3y;
    project_rates(c, r);
  }
  put(r, state);
}

Audit audit(const DoublePendulum& p) {
  const Rods<double> r = rods_of(p);
  const double kinetic =
      0.5 * p.m1 * (p.v[0] * p.v[0] + p.v[1] * p.v[1]) + 0.5 * p.m2 * (p.v[2] * p.v[2] + p.v[3] * p.v[3]);
  const double position =
      std::fabs(r.ax * r.ax + r.ay * r.ay - p.l1 * p.l1) + std::fabs(r.bx * r.bx + r.by * r.by - p.l2 * p.l2);
  const double velocity = std::fabs(r.ax * r.wax + r.ay * r.way) + std::fabs(r.bx * r.wbx + r.by * r.wby);
  return {kinetic + p.g * (p.m1 * p.q[1] + p.m2 * p.q[3]), position + velocity};
}

}  // namespace kernels
