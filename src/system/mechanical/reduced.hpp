// A mechanical system with velocity constraints as a skew-gradient system without constraints. [Celledoni2016, sections 2, 3.3]
//
// L = v^T M(q) v/2 + a(q).v - V(q), A(q) v = 0. X(q) is an orthonormal basis of the velocities that the constraints allow: the
// last n-m columns of Q in a Householder QR factorisation. With one constraint that of A^T. With several, A is replaced by
// A_I^-1 A, which is the identity at m coordinates I: the basis of the same span that does not depend on the order or the size
// of the constraints, and then neither does X. (With one constraint it would be a multiple of A, and the reflections the
// same.) With the momenta rho = X^T M v and y = (X^T M X)^-1 rho,
//
//   v = X y,   H(q, rho) = rho.y/2 + V,   Pi = [0 X; -X^T C],   C_ab = p.(DX_a X_b - DX_b X_a) + X_a^T (da) X_b,  p = M v
//
// with (da)_ij = d_i a_j - d_j a_i. All derivatives are exact: X is built in expressions, and these are differentiated. (The
// differentiated factorisation of [Celledoni2016, algorithm 1] is what comes out.)
//
// If there are coordinates I at which A_I is far from singular everywhere, they serve for the whole run, and the reflections
// are onto them. Otherwise, and with one constraint, a reflection may be chosen in two ways, and so may the coordinates I. Both
// are chosen as safe as possible at the start of a step, and then belong to the basis of that step; the choice stands in
// kMultiplier.
#pragma once

#include <string>

#include "system/first_order/skew_gradient.hpp"
#include "system/mechanical/mechanical.hpp"

namespace rattleback {

// Why this cannot be done for the model; "" when it can. `index2`: holonomic constraints are taken at velocity level.
std::string why_not_reducible(const Model& model);

struct Reduced {
  // differences: derivatives of X are central differences with the step size as increment. [Celledoni2016, remark 3.5]
  // start: a position of the run, around which coordinates I are looked for.
  Reduced(const Mechanical& mechanical, std::span<const double> start, bool differences = false);
  // In another frame: X by column, in `graph`, a copy of that of the system with the frame added. It need not be orthonormal.
  Reduced(const Mechanical& mechanical, Graph graph, const std::vector<std::vector<NodeId>>& X);

  SkewGradient system;           // of x = (q, rho) and the choice
  std::int32_t n = 0, free = 0;  // coordinates; n - m
  std::vector<NodeId> choice;    // of q: signs of reflections, and which coordinates (one-hot), at a point
  std::vector<NodeId> rho;       // of q, v and the choice
  std::vector<NodeId> velocity;  // of x and the choice
  std::vector<NodeId> force;     // X^T F of t, x, the choice, and v in kVelocity
  std::vector<NodeId> applied;   // F of t, q and v
  bool forced = false;           // F is not zero

  struct Parts;  // of the Lagrangian

 private:
  void build(const Mechanical& f, const std::vector<std::vector<NodeId>>& X, const Parts& parts, bool orthonormal,
             bool differences);
};

// The same system in q and the momenta p = M v, with its constraints: x = (q, p), Pi = [0 I; -I da].
struct Canonical {
  explicit Canonical(const Mechanical& mechanical);

  SkewGradient system;
  std::int32_t n = 0, m = 0;
  std::vector<NodeId> momentum;        // of q and v
  std::vector<NodeId> velocity;        // of x
  std::vector<std::vector<NodeId>> A;  // m x n
  std::vector<NodeId> force;           // F of t, q and v in kVelocity
  bool forced = false;
};

}  // namespace rattleback
