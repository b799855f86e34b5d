// Angles that turn. A state keeps them within one turn of zero and counts the whole turns beside them, so that a long
// rotation loses no digits: sin and cos of 1e5 have lost five of them before they are computed.
//
// 2 pi is taken in two parts. One part alone is off by 2.4e-16, and 10^5 turns would be off by 2.4e-11. Generated headers
// repeat this text: products that must be rounded are, whatever a compiler may contract.
#pragma once

#include <cmath>
#include <span>
#include <vector>

namespace rattleback {

inline constexpr double kTurnHigh = 6.283185307179586, kTurnLow = 2.4492935982947064e-16;  // their sum is 2 pi

// x + turns * 2 pi, rounded once for moderate x.
inline double turned(double x, double turns) {
  if (turns == 0.0) return x;
  const double high = std::fma(turns, kTurnHigh, 0.0);
  return high + (x + (std::fma(turns, kTurnHigh, -high) + turns * kTurnLow));
}

// Takes whole turns away from an angle that is beyond one turn, and adds them to `turns`. Says whether it did.
inline bool wrap(double& angle, double& turns) {
  const double size = std::fabs(angle);
  if (!(size > kTurnHigh) || size > 1e15) return false;  // beyond that, a turn is a matter of rounding
  const double whole = std::nearbyint(angle / kTurnHigh), high = std::fma(whole, kTurnHigh, 0.0);
  angle = (angle - high) - (std::fma(whole, kTurnHigh, -high) + whole * kTurnLow);  // the first difference is exact
  turns += whole;
  return true;
}

// The angles as they are reported. turns: by coordinate; empty = none has turned.
inline void unwrap(std::span<double> q, std::span<const double> turns) {
  for (std::size_t i = 0; i < turns.size(); ++i) q[i] = turned(q[i], turns[i]);
}
inline std::vector<double> unwrapped(std::span<const double> q, std::span<const double> turns) {
  std::vector<double> out(q.begin(), q.end());
  unwrap(out, turns);
  return out;
}

}  // namespace rattleback
