// [run] of a model file: defaults for the options of a run.
#pragma once

#include "option/option_table.hpp"
#include "rattleback/model.hpp"

namespace rattleback {

// The options with those that the model's [run] gives where nothing was asked for, as far as they can be asked for there: a verb
// takes of [run] what it has as flags. Not method, stages, step and until, which complete() knows (run/complete.hpp). What was asked
// for also keeps away what cannot stand beside it (until: [run] steps), and another method than [run]'s what is said of that one.
// Throws Error when what comes together contradicts itself.
Options with_run_table(const Model& model, const Options& asked, Place place);

}  // namespace rattleback
