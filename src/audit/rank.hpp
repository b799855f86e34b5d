// How close a run came to a configuration where the constraints lose rank (a folded mechanism, a blade that vanishes).
#pragma once

#include "formulation/system.hpp"
#include "rattleback/simulate.hpp"

namespace rattleback {

struct RankMargin {
  double smallest = 1.0;  // smallest singular value of K over its largest, rows scaled to length 1
  double t = 0.0;         // where
};
// Over the records of a run of a mechanical system in single coordinates: a thousand of them at most, and all around the
// worst one.
RankMargin rank_margin(const System& system, const Trajectory::Records& records);

// Below this a run is told that it passed close to such a configuration.
inline constexpr double kCloseToLosingRank = 0.02;

}  // namespace rattleback
