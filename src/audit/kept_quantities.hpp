// What a model says is kept: its invariants, and the momenta of those of its symmetries that keep one. And which do not.
#pragma once

#include <string>
#include <vector>

#include "system/system.hpp"

namespace rattleback {

struct KeptQuantities {
  Graph graph;  // the model's, with more in it
  std::vector<std::string> names;
  std::vector<NodeId> nodes;  // of t, q, v
};

KeptQuantities kept_quantities(const System& system);

// The symmetries of the model whose momentum is not kept. Of mechanical systems in single coordinates.
std::vector<Symmetry> lost_symmetries(const System& system);

}  // namespace rattleback
