// Where in a state a name stands: "theta" among the positions, "theta'" among the velocities, "lambda.rod" among the multipliers.
#pragma once

#include <string_view>

#include "rattleback/model.hpp"

namespace rattleback {

struct NamedPlace {
  enum class In { positions, velocities, multipliers } in;
  std::size_t index;
};
// Throws Error with a suggestion.
NamedPlace find_place(const Model& model, std::string_view name);
// How many positions (or states), velocities and multipliers a state has.
struct StateSizes {
  std::size_t q, v, multipliers;
};
StateSizes sizes_of(const Model& model);
// The number of a parameter. Throws Error with a suggestion.
std::size_t find_parameter(const Model& model, std::string_view name);

}  // namespace rattleback
