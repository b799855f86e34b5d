// The double pendulum in the rods a = q1, b = q2 - q1 and their rates of change, where its equations are shortest: the
// constraints are |a| = l1, |b| = l2, gravity acts on a alone, and reactions s a, t b along the rods change the rates by
//   W (s a, t b),   W = [ 1/m1  -1/m1 ; -1/m1  1/m1 + 1/m2 ].
#pragma once

namespace kernels {

// T: a double, or a vector of lanes.
template <class T>
struct Rods {
  T ax, ay, bx, by;      // rods
  T wax, way, wbx, wby;  // their rates of change
};

struct RodConstants {
  double i1, sum;  // entries of W
  double ll1, ll2, g;
};

template <class Pendulum>
RodConstants rod_constants(const Pendulum& p) {
  return {1.0 / p.m1, 1.0 / p.m1 + 1.0 / p.m2, p.l1 * p.l1, p.l2 * p.l2, p.g};
}

template <class T>
void react(const RodConstants& c, T sax, T say, T tbx, T tby, Rods<T>& r) {  // rates -= W (s a, t b)
  const T x = c.i1 * (sax - tbx), y = c.i1 * (say - tby);
  r.wax -= x;
  r.way -= y;
  r.wbx += c.i1 * sax - c.sum * tbx;
  r.wby += c.i1 * say - c.sum * tby;
}

// Velocity level: reactions along the rods until a . w_a = 0 and b . w_b = 0. The lengths are right already.
template <class T>
inline void project_rates(const RodConstants& c, Rods<T>& r) {
  const T dot = r.ax * r.bx + r.ay * r.by;
  const T ka = r.ax * r.wax + r.ay * r.way, kb = r.bx * r.wbx + r.by * r.wby;
  const T off = c.i1 * dot;
  const double s11 = c.i1 * c.ll1, s22 = c.sum * c.ll2;
  const T per = 1.0 / (s11 * s22 - off * off);
  const T s = per * (s22 * ka + off * kb), t = per * (s11 * kb + off * ka);
  react(c, s * r.ax, s * r.ay, t * r.bx, t * r.by, r);
}

inline double largest(double x, double y) {
  const double a = __builtin_fabs(x), b = __builtin_fabs(y);
  return a < b ? b : a;
}

inline double squared(double x, double y) { return x * x + y * y; }

// One step of rattle: the reactions act along the old rods until the new ones have their lengths, then along the new ones
// until the rates of change are across them. s, t are h^2/2 times the multipliers of the first half; they come in as
// starting values and go out as solutions.
//
// The matrix is that of Newton's method at the starting values. With d1 the first correction, the error after a later
// correction d is about d1 d (in units of the rods): the iteration ends when that is below rounding.
template <class T>
inline void rattle_step(const RodConstants& c, double h, Rods<T>& r, T& s, T& t) {
  const double per_h = 1.0 / h;
  const T ux = r.ax + h * r.wax, uy = r.ay + h * (r.way - 0.5 * h * c.g);
  const T zx = r.bx + h * r.wbx, zy = r.by + h * r.wby;
  T ax, ay, bx, by, ea, eb;  // new rods, residuals
  const auto fly = [&] {
    const T sax = s * r.ax, say = s * r.ay, tbx = t * r.bx, tby = t * r.by;
    ax = ux - c.i1 * (sax - tbx);
    ay = uy - c.i1 * (say - tby);
    bx = zx + (c.i1 * sax - c.sum * tbx);
    by = zy + (c.i1 * say - c.sum * tby);
  };
  fly();
  const T j11 = c.i1 * (ax * r.ax + ay * r.ay), j12 = -c.i1 * (ax * r.bx + ay * r.by);
  const T j21 = -c.i1 * (bx * r.ax + by * r.ay), j22 = c.sum * (bx * r.bx + by * r.by);
  const T per = 0.5 / (j11 * j22 - j12 * j21);
  double first = -1.0;
  for (int k = 0; k < 50; ++k) {
    ea = per * (ax * ax + ay * ay - c.ll1);
    eb = per * (bx * bx + by * by - c.ll2);
    const T ds = j22 * ea - j12 * eb, dt = j11 * eb - j21 * ea;
    s += ds;
    t += dt;
    fly();
    const double size = squared(ds, dt);
    if (first < 0.0) first = size;
    if (size * first < 1e-34) break;
  }
  r.way -= h * c.g;
  react(c, per_h * s * r.ax, per_h * s * r.ay, per_h * t * r.bx, per_h * t * r.by, r);
  r.ax = ax;
  r.ay = ay;
  r.bx = bx;
  r.by = by;
  project_rates(c, r);
}

}  // namespace kernels
