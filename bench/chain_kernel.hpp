// Rattle on the planar chain of models/chain.toml, written by hand: what a step of it costs at least. All masses, rods and
// strengths are 1, gravity is 9.81; psi are the multipliers of the rods, e_i = q_i - q_{i-1}.
//
//   v½ = v0 + (h/2) (f - G(q0)^T psi1),   q1 = q0 + h v½,   g(q1) = 0
//   v1 = v½ + (h/2) (f - G(q1)^T psi2),   G(q1) v1 = 0
//
// Both systems are tridiagonal, with rows  -E_i.e_{i-1},  2 E_i.e_i,  -E_i.e_{i+1}  (the first rod: 1 in place of 2), where
// E is the rod at q1, and e the one at q0 or at q1. Equations are solved to rounding, from extrapolated multipliers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace bench {

class ChainKernel {
 public:
  explicit ChainKernel(std::size_t links, double h) : n(links), h_(h) {
    // One place more at both ends: the point of suspension, and a rod without force behind the last mass.
    for (auto* v : {&x, &y, &vx, &vy, &ex_, &ey_, &Ex_, &Ey_, &r_, &up_, &psi1_, &psi2_, &last1_, &older1_})
      v->assign(n + 2, 0.0);
    for (std::size_t i = 1; i <= n; ++i) x[i] = static_cast<double>(i);
    rods(ex_, ey_);
  }

  // False: Newton's iteration did not converge.
  bool step() {
    // psi1 = 3 (psi1 - last) + older
    for (std::size_t i = 1; i <= n; ++i) {
      const double next = 3.0 * (psi1_[i] - last1_[i]) + older1_[i];
      older1_[i] = last1_[i];
      last1_[i] = psi1_[i];
      psi1_[i] = next;
    }
    const double gravity = 0.5 * h_ * kGravity, half = 0.5 * h_;
    for (std::size_t i = 1; i <= n; ++i) {  // with the multipliers that are guessed
      vx[i] -= half * (psi1_[i] * ex_[i] - psi1_[i + 1] * ex_[i + 1]);
      vy[i] -= gravity + half * (psi1_[i] * ey_[i] - psi1_[i + 1] * ey_[i + 1]);
      x[i] += h_ * vx[i];
      y[i] += h_ * vy[i];
    }
    double before = std::numeric_limits<double>::infinity();
    for (int k = 0;; ++k) {
      if (k == 20) return false;
      const double worst = position_residual();
      const double rounding = 4.0 * kEps * static_cast<double>(n);  // positions are numbers up to n
      if (worst <= 0.125 * rounding || (worst <= rounding && worst > 0.5 * before)) break;
      before = worst;
      // r = -(h²/2) J dpsi: the correction of the impulses is h/2 dpsi, that of positions h²/2 dpsi.
      solve(Ex_, Ey_, ex_, ey_, 2.0 / (h_ * h_));
      for (std::size_t i = 1; i <= n; ++i) {
        const double dx = half * (r_[i] * ex_[i] - r_[i + 1] * ex_[i + 1]);
        const double dy = half * (r_[i] * ey_[i] - r_[i + 1] * ey_[i + 1]);
        psi1_[i] += r_[i];
        vx[i] -= dx;
        vy[i] -= dy;
        x[i] -= h_ * dx;
        y[i] -= h_ * dy;
      }
    }
    ex_.swap(Ex_);  // rods at q1, from the last residual
    ey_.swap(Ey_);
    // (h/2) G G^T psi2 = G (v½ + (h/2) f); gravity is the same for all masses but the fixed point.
    for (std::size_t i = 1; i <= n; ++i) {
      vy[i] -= gravity;
      r_[i] = ex_[i] * (vx[i] - vx[i - 1]) + ey_[i] * (vy[i] - vy[i - 1]);
    }
    solve(ex_, ey_, ex_, ey_, 1.0 / half);
    for (std::size_t i = 1; i <= n; ++i) {
      vx[i] -= half * (r_[i] * ex_[i] - r_[i + 1] * ex_[i + 1]);
      vy[i] -= half * (r_[i] * ey_[i] - r_[i + 1] * ey_[i + 1]);
    }
    psi2_.swap(r_);
    r_[n + 1] = 0.0;
    return true;
  }

  std::size_t n;
  std::vector<double> x, y, vx, vy;  // from 1 on

 private:
  static constexpr double kGravity = 9.81, kEps = std::numeric_limits<double>::epsilon();
  using Vec = std::vector<double>;

  void rods(Vec& ex, Vec& ey) const {
    for (std::size_t i = 1; i <= n; ++i) {
      ex[i] = x[i] - x[i - 1];
      ey[i] = y[i] - y[i - 1];
    }
  }
  double position_residual() {
    double worst = 0.0;
    for (std::size_t i = 1; i <= n; ++i) {
      const double dx = x[i] - x[i - 1], dy = y[i] - y[i - 1];
      const double r = 0.5 * (dx * dx + dy * dy - 1.0);
      Ex_[i] = dx;
      Ey_[i] = dy;
      r_[i] = r;
      worst = std::fabs(r) > worst ? std::fabs(r) : worst;
    }
    return worst;
  }
  // r becomes the solution of J x = factor * r, J as above. Without row exchanges: the rods of a chain that is not folded
  // give a dominant diagonal.
  void solve(const Vec& Ex, const Vec& Ey, const Vec& ex, const Vec& ey, double factor) {
    const double *const A = Ex.data(), *const B = Ey.data(), *const a = ex.data(), *const b = ey.data();
    double* const r = r_.data();
    double* const up = up_.data();
    double carried = 0.0, carried_r = 0.0;
    for (std::size_t i = 1; i <= n; ++i) {
      const double low = A[i] * a[i - 1] + B[i] * b[i - 1], high = A[i] * a[i + 1] + B[i] * b[i + 1];
      const double diagonal = (i == 1 ? 1.0 : 2.0) * (A[i] * a[i] + B[i] * b[i]);
      const double inverse = 1.0 / (diagonal - low * carried);
      carried = high * inverse;
      carried_r = (factor * r[i] + low * carried_r) * inverse;
      up[i] = carried;
      r[i] = carried_r;
    }
    for (std::size_t i = n - 1; i >= 1; --i) r[i] += up[i] * r[i + 1];
  }

  double h_;
  Vec ex_, ey_, Ex_, Ey_, r_, up_, psi1_, psi2_, last1_, older1_;
};

}  // namespace bench
