// [units]: what the numbers of columns are measured in, for axes and for readers of files. Nothing is converted or checked.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rattleback/model.hpp"

namespace rattleback {

bool has_units(const Model& model);
// Of a column of the records; "" where the model does not say it. A member of a family has that of the family, and a velocity
// x' without one of its own that of x over that of t.
std::string unit_of(const Model& model, std::string_view column);
// "theta (rad)", or the name alone.
std::string with_unit(const Model& model, const std::string& column);
// Of those that have one, in their order.
std::vector<std::pair<std::string, std::string>> units_of(const Model& model, const std::vector<std::string>& columns);

}  // namespace rattleback
