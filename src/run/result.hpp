// What a run that is over tells: its numbers, and what its audits found.
#pragma once

#include "run/recorder.hpp"

namespace rattleback {

// What was run, with all defaults filled in; notes of the start and the method.
void describe(const RunParts& run, Trajectory& out);
// Where the run is.
void final_state(RunParts& run, Trajectory& out);
// What was kept, from the running numbers, the records and the state. ok: no step failed; equations: are the equations of
// motion looked at, too? What lacks memory is left out, and that is told.
void audit(RunParts& run, bool ok, bool equations, Trajectory& out);

// Does `look`, or notes that there was no memory for it.
template <class Look>
void if_it_fits(const char* what, Trajectory& out, const Look& look) {
  try {
    look();
  } catch (const std::bad_alloc&) {
    out.notes.push_back(fmt::format("there was no memory for {}", what));
  }
}

}  // namespace rattleback
