// An overdetermined system, with what its methods need:
//
//   y' = v(t, y, z),   z' = f(t, y, z) + r(t, y, z, psi),   0 = g(t, y),   0 = k(t, y, z) = g_t + g_y v
//
// r may be nonlinear in psi. g_y v_z r_psi is regular.                                     [JaySimeon, eq. 3.1]
#pragma once

#include <span>
#include <vector>

#include "rattleback/model.hpp"
#include "system/mechanical/mechanical.hpp"

namespace rattleback {

struct Overdetermined {
  explicit Overdetermined(const Model& model);  // of kind odae
  // A mechanical system with holonomic constraints only: y = q, z = q', f and r from M z' = L_q + F - K^T lambda - ...
  // Throws Error when it has others.
  explicit Overdetermined(const Mechanical& system);

  Graph graph;
  std::int32_t ny = 0, nz = 0, m = 0;
  std::vector<NodeId> v, f, r, g, k;

  // The same with some of the constraints only, renumbered; the multipliers of the others are zero.
  [[nodiscard]] Overdetermined restricted(std::span<const std::int32_t> constraints) const;
  // e along y' = `position`, z' = `velocity`, t' = 1; psi stays.
  NodeId along(NodeId e, std::span<const NodeId> position, std::span<const NodeId> velocity);
  // Is r affine in psi? Jumps and kinks (sign, abs, if) in psi count as not affine.
  [[nodiscard]] bool affine() const;

 private:
  Overdetermined() = default;
};

}  // namespace rattleback
