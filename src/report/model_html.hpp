// A model as a section of an HTML page: what it is about, its formulas as mathematics, its parameters and its start.
#pragma once

#include <string>

#include "rattleback/simulate.hpp"

namespace rattleback::report {

// The content of the section, without its heading.
std::string model_html(const Model& model, const Trajectory& trajectory);

}  // namespace rattleback::report
