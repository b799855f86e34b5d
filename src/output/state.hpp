// A state by the names of its variables, with the keys of the command line's contract.
#pragma once

#include <string>
#include <vector>

#include "output/json.hpp"

namespace rattleback::report {

// {"x": 0.1, ..., "x'": 0.2, ...}: coordinates and velocities, or the states.
Json state_by_name(const Model& model, const std::vector<double>& q, const std::vector<double>& v);

// Adds "q" and "v" (mechanical) or "x" (all others; odae: positions and velocities together).
void put_state(Json& to, const Model& model, const std::vector<double>& q, const std::vector<double>& v);

// The same as columns: names of q and then of v, "x'" for a velocity of a mechanical system.
std::vector<std::string> state_columns(const Model& model);

}  // namespace rattleback::report
