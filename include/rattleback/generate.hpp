// Generated steps: one method on one system as a C++ header that needs nothing of this library.
#pragma once

#include <string>

#include "rattleback/export.hpp"
#include "rattleback/simulate.hpp"

namespace RATTLEBACK_API rattleback {

// The text of the header. `name` is the struct's: an identifier, with :: between them if it is to be in a namespace.
// Of the options those count that say how steps are taken: method, stages, step (the suggested size), formulation,
// compose, newton_tol, project, tableau. Throws Error when they do not fit the model, or when such steps cannot be
// written down, with the reason.
std::string step_header(const Model& model, const Options& options, const std::string& name);

// For programs that write headers while something else is being built (rattleback_add_step of the CMake package): writes
// it to `path`, and leaves a file alone that has this text already. Returns the exit status: 0 done, 2 with a message on
// stderr.
int write_step_header(const Model& model, const Options& options, const std::string& name, const std::string& path);

}  // namespace rattleback
