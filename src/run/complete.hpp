// Options with every default filled in: from the model's [run] table, then from the method.
#pragma once

#include "rattleback/simulate.hpp"

namespace rattleback {

// Throws Error when something that has no default is missing.
Options complete(const Model& model, Options options);

}  // namespace rattleback
