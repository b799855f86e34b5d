// kind = "hamiltonian": a mechanical system that is written with momenta. H(t, q, p) that is quadratic in p,
//
//   H = p^T A p/2 + b^T p + V,   q' = A p + b,   L = (q' - b)^T p/2 - V   with   p = A^-1 (q' - b),
//
// is its Lagrangian with another name, so all methods take it.
#pragma once

#include "model/grammar/elaborate.hpp"
#include "model/model_text.hpp"

namespace rattleback::front {

// The momenta as functions of velocities. Refuses an H that is not quadratic in them, or whose second derivatives
// determine no velocities.
QuasiVelocities build_momenta(ModelText& text, Graph& graph);

// The Lagrangian of the energy; kinetic and potential energy where it has no terms that are linear in the momenta.
void put_lagrangian(ModelText& text, Graph& graph, Model& model);

}  // namespace rattleback::front
