// Options that several verbs share.
#pragma once

#include "arguments.hpp"
#include "rattleback/simulate.hpp"

namespace rattleback::cli {

// --set and --start: how a user changes a model without editing it.
void add_model_options(Arguments& arguments);
LoadOptions model_options(Arguments& arguments);

// The model with its families as they are where the method can take them, and unrolled otherwise.
Model load_to_run(const std::string& system, LoadOptions load, const Options& options);

// --formulation, --project, --compose, --newton-tol: how any method is applied.
void add_method_options(Arguments& arguments);
void read_method_options(Arguments& arguments, Options& options);

// --alpha, --rtol, --atol, --gain, --redundant: what some methods and systems need.
void add_special_options(Arguments& arguments);
void read_special_options(Arguments& arguments, Options& options);

// The method by any of its names, with faults collected; "" stays "".
void check_method(Arguments& arguments, const std::string& name);

}  // namespace rattleback::cli
