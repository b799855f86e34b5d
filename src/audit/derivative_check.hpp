// Compares the exact derivatives with central differences of the functions they came from: a check of the engine and of
// models with kinks near the start. This is the only place where finite differences occur.
#pragma once

#include "rattleback/model.hpp"

namespace rattleback {

// Largest difference, relative to the size of the derivative, along random directions near the start. Works on families
// of any size.
double derivative_error(const Model& model);

}  // namespace rattleback
