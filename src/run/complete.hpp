// Options with every default filled in: from the model's [run] table, then from the method.
#pragma once

#include "rattleback/simulate.hpp"

namespace rattleback {

// Throws Error when something that has no default is missing, and for what only other methods take: a tolerance that is not used
// would give a false sense of safety.
Options complete(const Model& model, Options options);

// What is said of several methods, for the one that the options name: without what only others take.
Options as_taken(const Model& model, Options options);

}  // namespace rattleback
