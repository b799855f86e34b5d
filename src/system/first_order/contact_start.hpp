// Which constraints of an overdetermined system act at a given state, and with what multipliers.
//
// A constraint that must hold always acts. A unilateral one, g >= 0 with psi >= 0 and g psi = 0, acts where g = 0 and its
// velocity is 0, unless its multiplier would be negative: then it lets go.
#pragma once

#include <span>
#include <vector>

#include "system/acceleration.hpp"

namespace rattleback {

struct ContactStart {
  bool solved = false;
  const char* reason = "";           // when not solved
  std::vector<char> active;          // by constraint
  std::vector<double> psi;           // zero where not active
  std::vector<double> acceleration;  // z'
};

// `candidates`: constraints with g = 0 and k = 0. Releases the most negative multiplier first, one after the other.
ContactStart contact_start(const Overdetermined& system, std::span<const std::int32_t> unilateral,
                           std::vector<char> candidates, double t, std::span<const double> y, std::span<const double> z,
                           std::span<const double> guess);

// Solves for consistent multipliers from `guess`, and from other sizes where that fails: |psi|^0.85 has no derivative at a
// guess of 0.
bool solve_from(Acceleration& acceleration, double t, std::span<const double> y, std::span<const double> z,
                std::span<const double> guess);

}  // namespace rattleback
