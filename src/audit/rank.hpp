// How close a run came to a configuration where the constraints lose rank (a folded mechanism, a blade that vanishes).
#pragma once

#include <optional>
#include <span>
#include <string>

#include "rattleback/simulate.hpp"
#include "system/system.hpp"

namespace rattleback {

struct RankMargin {
  double smallest = 1.0;  // smallest singular value of K over its largest, rows scaled to length 1
  double t = 0.0;         // where
};
// Over the records of a run of a mechanical system in single coordinates: a thousand of them at most, and all around the
// worst one.
// rank: that of the constraints everywhere else, their number if they are independent.
RankMargin rank_margin(const System& system, const Trajectory::Records& records, std::int32_t rank);
// The same of the matrix that gives quasi-velocities: where it loses rank, Euler angles do not tell how a body turns.
RankMargin kinematics_margin(const Model& model, const Trajectory::Records& records);

// A constraint that follows from those before it, or vanishes, at one point of the motion.
struct RankLoss {
  std::string constraint;
  int rank = 0, rows = 0;  // of the constraints that act there
};
// At time t in the state (q, v). active: which constraints act, empty = all. Large systems and port-Hamiltonian ones: nothing.
std::optional<RankLoss> rank_loss(const System& system, double t, std::span<const double> q, std::span<const double> v,
                                  std::span<const char> active = {});

// Below this a run is told that it passed close to such a configuration.
inline constexpr double kCloseToLosingRank = 0.02;

}  // namespace rattleback
