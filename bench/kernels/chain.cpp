// rattle on a planar chain of N rods, in the rods a_k and their rates of change w_k. Gravity acts on the first rod alone, the others
// fall with it; a reaction s_k a_k along rod k changes the rates of rods k-1, k, k+1 by 1, -2, 1 times s_k a_k/m (-1 for the first rod).
//
//   a1 = a + h (w + h/2 g) - (second difference of s a)/m,   |a1_k| = l
//   w1 = w + h g - (second difference of s a)/(m h), then reactions along a1 until a1_k . w1_k = 0
//
// Both conditions lead to tridiagonal matrices T with 2 l^2 on the diagonal (l^2 in the first row) and -a_k . a_(k+1) beside it: exactly for the
// velocities, and for the positions up to terms of size h w, so that a few corrections with the matrix of the last velocity solve, which is
// factored already, reach rounding. Each row is divided once per step; a step is a few passes along the chain.
#include <cmath>

#include "kernels/kernels.hpp"

namespace kernels {
namespace {

// What a chain needs besides its state, kept between calls.
struct Workspace {
  std::vector<double> ax, ay, wx, wy, ux, uy, d, c, z;  // d: 1/pivots, c: a_k . a_(k+1)
  void resize(std::size_t n) {
    for (auto* v : {&ax, &ay, &wx, &wy, &ux, &uy, &d, &c, &z}) v->resize(n + 2);
  }
};

constexpr double kRounding = 1e-15;  // of the square of a length

// T = factors; index 1..n. c[n] = 0.
void factor(const double* x, const double* y, double ll, std::size_t n, double* c, double* d) {
  double below = 0.0, before = 0.0;  // c and 1/pivot of the row before
  for (std::size_t k = 1; k <= n; ++k) {
    const double per = 1.0 / ((k == 1 ? ll : 2.0 * ll) - below * (below * before));
    d[k] = per;
    below = c[k] = k < n ? x[k] * x[k + 1] + y[k] * y[k + 1] : 0.0;
    before = per;
  }
}

}  // namespace

void rattle(Chain& state, double h, std::int64_t steps) {
  thread_local Workspace work;
  const std::size_t n = state.n;
  work.resize(n);
  double *const ax = work.ax.data(), *const ay = work.ay.data(), *const wx = work.wx.data(), *const wy = work.wy.data();
  double *const ux = work.ux.data(), *const uy = work.uy.data();
  double *const d = work.d.data(), *const c = work.c.data(), *const z = work.z.data();
  const double ll = state.l * state.l, per_m = 1.0 / state.m, per_h = 1.0 / h, m_half = 0.5 * state.m;
  const double *const q = state.q.data(), *const v = state.v.data();
  for (std::size_t k = 1; k <= n; ++k) {
    ax[k] = q[k - 1] - (k > 1 ? q[k - 2] : 0.0);
    ay[k] = q[n + k - 1] - (k > 1 ? q[n + k - 2] : 0.0);
    wx[k] = v[k - 1] - (k > 1 ? v[k - 2] : 0.0);
    wy[k] = v[n + k - 1] - (k > 1 ? v[n + k - 2] : 0.0);
  }
  factor(ax, ay, ll, n, c, d);
  if (state.h != h) {
    state.h = h;
    state.known = 0;
  }
  state.s.resize(4 * (n + 2), 0.0);
  double *const s = state.s.data(), *const s1 = s + n + 2, *const s2 = s1 + n + 2,
                *const s3 = s2 + n + 2;  // differences
  s[0] = s[n + 1] = 0.0;
  for (std::int64_t step = 0; step < steps; ++step) {
    // free flight, and s from its differences; s1.. then hold the values before
    const double w1 = state.known >= 1 ? 1.0 : 0.0, w2 = state.known >= 2 ? 1.0 : 0.0,
                 w3 = state.known >= 3 ? 1.0 : 0.0;
    for (std::size_t k = 1; k <= n; ++k) {
      ux[k] = ax[k] + h * wx[k];
      uy[k] = ay[k] + h * wy[k];
      s[k] = w1 * s1[k] + w2 * s2[k] + w3 * s3[k];
    }
    uy[1] -= 0.5 * h * h * state.g;
    double previous = 0.0;
    for (int iteration = 0; iteration < 50; ++iteration) {
      // new rods, residuals, and elimination downwards
      double px = 0.0, py = 0.0, hx = s[1] * ax[1], hy = s[1] * ay[1], carried = 0.0, size = 0.0;
      for (std::size_t k = 1; k <= n; ++k) {
        const double nx = k < n ? s[k + 1] * ax[k + 1] : 0.0, ny = k < n ? s[k + 1] * ay[k + 1] : 0.0;
        const double own = k == 1 ? 1.0 : 2.0;
        const double X = ux[k] + per_m * (px + nx - own * hx), Y = uy[k] + per_m * (py + ny - own * hy);
        const double e = X * X + Y * Y - ll, a = std::fabs(e);
        size = size < a ? a : size;
        carried = (m_half * d[k]) * e + (c[k - 1] * d[k]) * carried;
        z[k] = carried;
        px = hx;
        py = hy;
        hx = nx;
        hy = ny;
      }
      // Rounding, or as small as it gets: the tensions of a long chain have rounding errors of their own.
      if (size < kRounding * ll || (iteration > 1 && size > 0.5 * previous)) break;
      double above = 0.0;  // and upwards
      for (std::size_t k = n; k >= 1; --k) {
        above = z[k] + (d[k] * c[k]) * above;
        s[k] += above;
      }
      if (iteration > 0 && size * size < kRounding * ll * previous) break;  // what is left is about size^2/previous
      previous = size;
    }
    // velocities, new rods, and their matrix
    {
      double px = 0.0, py = 0.0, hx = s[1] * ax[1], hy = s[1] * ay[1];
      double before = 0.0, below = 0.0, carried = 0.0;
      const double f = per_m * per_h;
      double rx = 0.0, ry = 0.0;  // the new rod before
      for (std::size_t k = 1; k <= n; ++k) {
        const double nx = k < n ? s[k + 1] * ax[k + 1] : 0.0, ny = k < n ? s[k + 1] * ay[k + 1] : 0.0;
        const double own = k == 1 ? 1.0 : 2.0;
        const double tx = px + nx - own * hx, ty = py + ny - own * hy;
        const double X = ux[k] + per_m * tx, Y = uy[k] + per_m * ty;
        const double VX = wx[k] + f * tx, VY = wy[k] + f * ty - (k == 1 ? h * state.g : 0.0);
        below = rx * X + ry * Y;
        c[k - 1] = below;
        const double per = 1.0 / (own * ll - below * (below * before));
        carried = per * (X * VX + Y * VY + below * carried);
        d[k] = per;
        z[k] = carried;
        before = per;
        px = hx;
        py = hy;
        hx = nx;
        hy = ny;
        ax[k] = rx = X;
        ay[k] = ry = Y;
        wx[k] = VX;
        wy[k] = VY;
      }
      c[n] = 0.0;
      // upwards: reactions, and what they do to the rates
      double above = 0.0, ax1 = 0.0, ay1 = 0.0;  // of the rod above
      double now = z[n];
      for (std::size_t k = n; k >= 1; --k) {
        above = now;
        const double next = k > 1 ? z[k - 1] + d[k - 1] * c[k - 1] * above : 0.0;
        const double fx = above * ax[k], fy = above * ay[k];
        const double gx = k > 1 ? next * ax[k - 1] : 0.0, gy = k > 1 ? next * ay[k - 1] : 0.0;
        const double own = k == 1 ? 1.0 : 2.0;
        wx[k] += ax1 + gx - own * fx;
        wy[k] += ay1 + gy - own * fy;
        ax1 = fx;
        ay1 = fy;
        now = next;
      }
    }
    for (std::size_t k = 1; k <= n; ++k) {
      const double e1 = w1 * (s[k] - s1[k]);
      s3[k] = w2 * (e1 - s2[k]);
      s2[k] = e1;
      s1[k] = s[k];
    }
    if (state.known < 3) ++state.known;
  }
  double px = 0.0, py = 0.0, vx = 0.0, vy = 0.0;
  for (std::size_t k = 1; k <= n; ++k) {
    state.q[k - 1] = px += ax[k];
    state.q[n + k - 1] = py += ay[k];
    state.v[k - 1] = vx += wx[k];
    state.v[n + k - 1] = vy += wy[k];
  }
}

Audit audit(const Chain& state) {
  const std::size_t n = state.n;
  const double *const q = state.q.data(), *const v = state.v.data();
  Audit out;
  for (std::size_t k = 0; k < n; ++k) {
    out.energy += 0.5 * state.m * (v[k] * v[k] + v[n + k] * v[n + k]) + state.m * state.g * q[n + k];
    const double x = q[k] - (k > 0 ? q[k - 1] : 0.0), y = q[n + k] - (k > 0 ? q[n + k - 1] : 0.0);
    const double u = v[k] - (k > 0 ? v[k - 1] : 0.0), w = v[n + k] - (k > 0 ? v[n + k - 1] : 0.0);
    out.constraint =
        std::fmax(out.constraint, std::fmax(std::fabs(x * x + y * y - state.l * state.l), std::fabs(x * u + y * w)));
  }
  return out;
}

}  // namespace kernels
