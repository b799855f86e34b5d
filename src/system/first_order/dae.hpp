// An index-2 DAE in Hessenberg form: y' = f_1 + ... + f_5 with f(t, y, z), 0 = c(t, y). A skew-gradient system is one
// without constraints.
#pragma once

#include <array>
#include <vector>

#include "rattleback/model.hpp"

namespace rattleback {

struct SkewGradient;

struct Dae {
  explicit Dae(const Model& model);  // of kind dae
  explicit Dae(const SkewGradient& system);

  Graph graph;
  std::int32_t n = 0, m = 0;
  std::array<std::vector<NodeId>, 5> parts;  // empty vector: that part is zero
  std::vector<NodeId> f;                     // their sum
  std::vector<NodeId> c;
};

}  // namespace rattleback
