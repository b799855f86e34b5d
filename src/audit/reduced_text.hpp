// A mechanical system without its velocity constraints, as text.
#pragma once

#include "rattleback/simulate.hpp"
#include "system/mechanical/mechanical.hpp"

namespace rattleback {

// CheckReport::reduced, of a model for which why_not_reducible() is "".
std::vector<CheckReport::MatrixText> reduced_text(const Model& model, const Mechanical& system);

}  // namespace rattleback
