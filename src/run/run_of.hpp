// The run of a core that stands at its start, with the advice after a failure and the audits that integrate again.
#pragma once

#include "run/core.hpp"

namespace rattleback {

// options: as they were asked for.
Trajectory run_of(RunCore& core, const Options& options);

}  // namespace rattleback
