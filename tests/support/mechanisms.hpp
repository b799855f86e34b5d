// Spatial mechanisms, each written in quaternions and in directors: closed loops, wheels that roll, a prescribed crank,
// bodies without inertia in a direction. The joints' multipliers of a mechanism are the same in both.
#pragma once

#include <string>
#include <vector>

#include "support/mechanism_text.hpp"

namespace rattleback::testing {

struct Mechanism {
  std::string name;        // "bicycle"
  std::string text;        // a model file with a consistent start, moving
  bool redundant = false;  // its constraints are dependent, along the whole motion: needs --redundant minimum-norm
};

// In quaternions or directors. Every start is consistent to rounding and no multiplier vanishes by symmetry alone.
std::vector<Mechanism> spatial_mechanisms(Rotation rotation);
// By name; throws std::out_of_range.
Mechanism spatial_mechanism(const std::string& name, Rotation rotation);

}  // namespace rattleback::testing
