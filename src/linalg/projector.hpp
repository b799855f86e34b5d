// Moves a point onto constraints f(x) = 0, to the nearest one in a given metric S (the kinetic energy's, for a mechanism):
//
//   1. damped Newton to f = 0:   min |f + J dx|^2 + mu |dx|_S^2,   mu = theta |f|
//      theta grows until |f| falls. With mu of the size of |f| the iteration stays quadratic also where constraints are
//      redundant: off f = 0 their Jacobian has full rank, with singular values of the size of |f| that mean nothing, and mu
//      hides them.                                                                    [YamashitaFukushima2001]
//   2. along f = 0 towards the start by Newton's moves, until x - x0 is S-orthogonal to what the constraints allow; each
//      move is followed by 1.
//   3. the same once more from a point beside that one. Where f and x0 are symmetric, 1 and 2 keep the symmetry and may end
//      at a saddle of the distance: from the axis of an ellipse at its far end. From beside it they go on to nearer points.
//
// Linear constraints (most velocity constraints) need one step of 1 without damping.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include <Eigen/Core>

namespace rattleback {

// Problem has
//   VectorXd residual(x)               f, its rows of the size of |dx|_S for a move dx that they forbid
//   bool linearise(x)                  J; false when it is not finite
//   VectorXd step(offset, r, mu)       dx of least |offset + dx|_S with J dx = -r; mu as above, 0: of least squares
//   double inner(dx, dy), length(dx)   <dx, dy>_S, |dx|_S
//   Index residual_size()              of f
//   double reach(i)                    how far a move of length 1 can move element i
template <class Problem>
class Projector {
 public:
  using VectorXd = Eigen::VectorXd;
  Projector(Problem& problem, bool damped) : p_(problem), damped_(damped) {}

  // x where |f| is smallest, if it is finite anywhere.
  void run(VectorXd& x) {
    const VectorXd start = x;
    size_ = p_.length(x);
    approach(x, start);
    if (damped_) try_beside(x, start);
    // |f| ends at the rounding of its largest rows. Plain steps from there make the small ones small, too.
    constexpr double kRounding = 1e-12;
    for (int k = 0; k < 2 && p_.linearise(x); ++k) {
      const VectorXd dx = p_.step({}, p_.residual(x), 0.0);
      if (!dx.allFinite() || p_.length(dx) > kRounding * size_) return;
      x += dx;
    }
  }

 private:
  static constexpr int kMoves = 200, kIterations = 200, kConjugate = 50;
  static constexpr double kNearest = 1e-10, kSame = 4.0;

  void try_beside(VectorXd& x, const VectorXd& start) {
    constexpr double kBeside = 1e-3, kClearlyNearer = 1.0 - 1e-4;
    const double far = p_.length(x - start);
    if (!(far > 1e-6 * size_) || !p_.linearise(x)) return;
    const double before = p_.residual(x).norm();
    if (!(before <= kSame * left_)) return;
    VectorXd w(x.size());
    std::uint32_t seed = 12345;
    for (Eigen::Index i = 0; i < w.size(); ++i) {
      seed = seed * 1664525u + 1013904223u;
      w(i) = p_.reach(static_cast<std::size_t>(i)) * (2.0 * static_cast<double>(seed >> 8) / 16777216.0 - 1.0);
    }
    const VectorXd aside = allowed(w);
    if (!aside.allFinite() || !(p_.length(aside) > 1e-6 * p_.length(w))) return;
    VectorXd y = x + kBeside * far / p_.length(aside) * aside;
    approach(y, start);
    if (p_.residual(y).norm() <= kSame * left_ && p_.length(y - start) < kClearlyNearer * far) x = y;
  }

  void approach(VectorXd& x, const VectorXd& start) {
    restore(x);
    for (int k = 0; k < kMoves; ++k) {
      const double far = p_.length(x - start);
      if (!(far > kNearest * size_) || !p_.linearise(x)) return;
      const VectorXd along = towards(x, start);
      if (!along.allFinite() || p_.length(along) <= kNearest * far) return;
      if (!move(x, start, far, newton(x, start, along)) && !move(x, start, far, along)) return;
    }
  }

  // The part of start - x that the constraints linearised last allow: against the gradient of |x - start|_S^2 / 2 on f = 0.
  VectorXd towards(const VectorXd& x, const VectorXd& start) { return allowed(start - x); }
  VectorXd allowed(const VectorXd& w) { return p_.step(-w, VectorXd::Zero(p_.residual_size()), 0.0); }

  // As much of dx as brings x nearer, and back to f = 0.
  bool move(VectorXd& x, const VectorXd& start, double far, const VectorXd& dx) {
    for (double part = 1.0; part > 1e-6; part *= 0.5) {
      VectorXd y = x + part * dx;
      const double left = restore(y);
      if (!(left <= kSame * left_ && p_.length(y - start) < far)) continue;
      x = y;
      return true;
    }
    return false;
  }

  // Newton's move: where the curved surface f = 0 ends nearest to the start, by conjugate gradients in what is allowed.
  // Curvature comes from differences of `towards`, which is enough for a direction; where the distance is not convex the
  // move found so far serves.                                                                [NocedalWright2006, 7.1]
  VectorXd newton(const VectorXd& x, const VectorXd& start, const VectorXd& along) {
    const double slope = p_.length(along), enough = std::fmin(0.1, std::sqrt(slope / size_)) * slope;
    VectorXd move = VectorXd::Zero(x.size()), left = along, d = along;
    double square = slope * slope;
    for (int k = 0; k < kConjugate && std::sqrt(square) > enough; ++k) {
      const double t = std::sqrt(std::numeric_limits<double>::epsilon()) * size_ / p_.length(d);
      const bool beside = p_.linearise(x + t * d);
      const VectorXd there = towards(x + t * d, start);
      if (!p_.linearise(x) || !beside || !there.allFinite()) break;
      const VectorXd curved = allowed((along - there) / t);
      const double product = p_.inner(d, curved);
      if (!(product > 0.0) || !curved.allFinite()) break;
      move += square / product * d;
      left -= square / product * curved;
      const double next = p_.inner(left, left);
      d = left + next / square * d;
      square = next;
    }
    return move.isZero(0.0) ? along : move;
  }

  double restore(VectorXd& x) {
    constexpr double eps = std::numeric_limits<double>::epsilon();
    VectorXd r = p_.residual(x);
    double rho = r.norm(), theta = damped_ ? 1.0 : 0.0;
    for (int k = 0; k < kIterations && rho > 0.0 && std::isfinite(rho) && p_.linearise(x); ++k) {
      bool better = false, small = false;
      VectorXd trial, next;
      for (int tries = 0; tries < 40 && !better && !small; ++tries) {
        const VectorXd dx = p_.step({}, r, size_ > 0.0 ? theta * rho / size_ : 0.0);
        if (dx.allFinite()) {
          const double moved = p_.length(dx);
          if (size_ == 0.0) size_ = moved;
          small = moved <= 4.0 * eps * size_;
          trial = x + dx;
          next = p_.residual(trial);
          better = next.allFinite() && next.norm() < rho;
        }
        theta = better ? theta / 8.0 : theta == 0.0 ? 1e-3 : 8.0 * theta;
        if (theta < 1e-12) theta = damped_ ? 1e-12 : 0.0;
      }
      if (!better) break;
      const bool stuck = next.norm() > 0.9999 * rho;
      x = trial;
      r = next;
      rho = r.norm();
      if (small || stuck) break;
    }
    if (left_ < 0.0 || rho < left_) left_ = rho;
    left_ = std::fmax(left_, 16.0 * eps * size_);
    return rho;
  }

  Problem& p_;
  bool damped_;
  double size_ = 0.0, left_ = -1.0;
};

}  // namespace rattleback
