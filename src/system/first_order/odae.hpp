// An overdetermined system, with what its methods need:
//
//   y' = v(t, y, z),   p(t, y, z)' = f(t, y, z) + r(t, y, z, psi),   0 = g(t, y),   0 = k(t, y, z) = g_t + g_y v
//
// r may be nonlinear in psi. p_z and g_y v_z p_z^-1 r_psi are regular; mostly p = z.       [JaySimeon, eq. 3.1 and behind it]
#pragma once

#include <span>
#include <vector>

#include "rattleback/model.hpp"
#include "system/mechanical/mechanical.hpp"

namespace rattleback {

struct Overdetermined {
  explicit Overdetermined(const Model& model);  // of kind odae
  // A mechanical system with holonomic constraints only: y = q, z = q', p = L_v, f = L_q + F(lambda = 0) and
  // r = F(lambda) - F(0) - K^T lambda; where L_vv is constant all three times its inverse. Throws Error when it has others.
  explicit Overdetermined(const Mechanical& system);

  Graph graph;
  std::int32_t ny = 0, nz = 0, m = 0;
  std::vector<NodeId> v, f, r, g, k;
  std::vector<NodeId> p;  // empty: z

  // The same with some of the constraints only, renumbered; the multipliers of the others are zero.
  [[nodiscard]] Overdetermined restricted(std::span<const std::int32_t> constraints) const;
  // e along y' = `position`, z' = `velocity`, t' = 1; psi stays.
  NodeId along(NodeId e, std::span<const NodeId> position, std::span<const NodeId> velocity);
  // p_t + p_y v: what the momenta change by while z stands still.
  std::vector<NodeId> carried_along();
  // Is r affine in psi? Jumps and kinks (sign, abs, if) in psi count as not affine.
  [[nodiscard]] bool affine() const;

 private:
  Overdetermined() = default;
};

}  // namespace rattleback
