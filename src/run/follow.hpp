// A run that somebody follows while it goes on: for sections and ensembles, which need no records but what they look at.
#pragma once

#include <functional>
#include <vector>

#include "rattleback/simulate.hpp"

namespace rattleback {

struct Follower {
  // At every record, also with Options::keep_records = false. The energy is 0 for systems without one.
  std::function<void(double t, double energy)> seen = {};
  // After every step of a run with events, with all zeros so far: false ends the run there, with status done.
  std::function<bool(double t, std::int64_t steps, const std::vector<EventFound>& found)> go_on = {};
};

struct FollowedRun {
  Trajectory trajectory;
  std::vector<double> q0, v0;  // the start, after a projection
};

// Runs of one Prepared that somebody follows, for studies that take many.
struct PreparedRuns {
  // The options are complete but for what the method has: [run] was looked at where the study began.
  static Prepared prepare(const Model& model, const Options& options);
  static FollowedRun run(const Prepared& prepared, const Options& options, const Follower& follower = {});
};

// As simulate(), without Options::audit_order.
FollowedRun simulate(const Model& model, const Options& options, const Follower& follower);

}  // namespace rattleback
