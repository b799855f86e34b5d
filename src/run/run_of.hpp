// The run of a core that stands at its start, with the advice after a failure and the audits that integrate again.
#pragma once

#include "run/core.hpp"
#include "run/follow.hpp"

namespace rattleback {

// options: as they were asked for.
Trajectory run_of(RunCore& core, const Options& options);
// The run alone, for whoever follows it.
FollowedRun followed_run(RunCore& core, const Follower& follower);

}  // namespace rattleback
