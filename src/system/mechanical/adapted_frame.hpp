// A frame of the velocities that the constraints allow, in formulas that can be read: for people, not for steps, which take
// one that is orthonormal and safe everywhere (free_directions.hpp).
//
// Elimination without divisions, except by numbers: constraint k becomes d_k v_I(k) + sum_f r_kf v_f = 0, with coordinates I that
// follow and free ones f, and for each free one
//
//   X_f = D e_f - sum_k r_kf D/d_k e_I(k),    D = the product of the d_k, of the k with r_kf != 0, that are not numbers
#pragma once

#include <vector>

#include "system/mechanical/mechanical.hpp"

namespace rattleback {

struct AdaptedFrame {
  std::vector<std::vector<NodeId>> X;    // by column
  std::vector<std::int32_t> free;        // the coordinate of each
  std::vector<NodeId> degenerate_where;  // where one of these is 0, the vectors may be dependent
};

// In the graph `g`, a copy of that of the system. Throws Error when the constraints depend on one another.
AdaptedFrame adapted_frame(Graph& g, const Mechanical& f, const std::vector<double>& q);

}  // namespace rattleback
