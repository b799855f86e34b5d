// Every mechanical system L = v^T M(q) v/2 - V(q) with velocity constraints A(t,q) v = 0 as a port-Hamiltonian one:
//
//   x = (q, v, lambda),   H = v^T M v/2 + V,   z = (grad_q H, v, lambda)
//
//       [I 0 0]        [ 0  I   0 ]        [0 0 0]        [0]
//   E = [0 M 0]    J = [-I  C -A^T]    R = [0 D 0]    B = [b]
//       [0 0 0]        [ 0  A   0 ]        [0 0 0]        [0]
//
// C_ij = sum_k (d_i M_jk - d_j M_ik) v_k is skew, and C v = d_q(v^T M v) - M' v: with it M v' = -grad_q H + C v - A^T lambda
// is Lagrange's equation also when M depends on q. [Symank2025, 4.4.1, where C is missing] D is the Hessian of a Rayleigh
// function that is quadratic in v. Ports are inputs with B = b; all other forces are inputs along their coordinate, so that
// their power is force times velocity. Holonomic constraints enter at velocity level (index 2).
//
// The model says which part of its forces is what in Model::ph: R (by coordinate) and inputs, with B by coordinate.
#pragma once

#include "model/kinds/port_hamiltonian.hpp"
#include "system/mechanical/mechanical.hpp"

namespace rattleback {

// Why a mechanical model has no such form, as the end of "it needs ..."; "" when it has.
std::string why_no_port_hamiltonian_form(const Model& model);

PortHamiltonian port_hamiltonian_form(const Model& model, const Mechanical& system);

}  // namespace rattleback
