// Models in which L_vv alone is singular while [L_vv K^T; K 0] is regular: a quaternion's radial direction carries no
// inertia, and only the constraint |e| = 1 stops it. The steps need L_vv itself, so the Lagrangian gets the terms
//
//   sum_i (c_i/2) k_i(t, q, v)^2        k: all constraints at velocity level
//
// Along every motion k = 0 and k' = 0, so neither the terms nor their part of d/dt L_v = L_q + ... is there: the motion
// and its multipliers are the same with and without them.
//
// c_i = 1/(K_i D^-1 K_i^T), D = diagonal of L_vv (of coordinates that it couples, the largest): of the size of the masses that constraint i moves, with the unit that makes
// c_i k_i^2 an energy, whatever the units of the coordinates and of the constraint.
#pragma once

#include <string>
#include <vector>

#include "rattleback/model.hpp"

namespace rattleback {

// Eigenvalues and pivots of an L_vv with unit diagonal below this are none. A quaternion's come out as 1e-16; masses however
// small are scaled to 1.
inline constexpr double kSingularInertia = 1e-13;

struct AddedInertia {
  std::vector<double> c;                     // one for each constraint; empty: nothing is added
  std::vector<std::string> without_inertia;  // coordinates in the kernel of L_vv
};

// Decided at the start of the model. Nothing is added when L_vv is regular there, however small its masses are, or when the
// constraints do not help: then forces must determine what a mass of exactly 0 does not.
AddedInertia added_inertia(const Model& model, const Graph& graph, const std::vector<std::vector<NodeId>>& Lvv,
                           const std::vector<std::vector<NodeId>>& K);

// What a reader of `check` and of the audit is told.
std::string to_note(const AddedInertia& added);

}  // namespace rattleback
