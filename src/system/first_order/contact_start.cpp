#include "system/first_order/contact_start.hpp"

#include <algorithm>

namespace rattleback {

bool solve_from(Acceleration& acceleration, double t, std::span<const double> y, std::span<const double> z,
                std::span<const double> guess) {
  acceleration.set_guess(guess);
  if (acceleration.solve(t, y, z)) return true;
  std::vector<double> other(guess.size());
  for (const double size : {1.0, 1e-3, 1e3, -1.0, -1e-3, -1e3}) {
    std::fill(other.begin(), other.end(), size);
    acceleration.set_guess(other);
    if (acceleration.solve(t, y, z)) return true;
  }
  return false;
}

ContactStart contact_start(const Overdetermined& system, std::span<const std::int32_t> unilateral,
                           std::vector<char> candidates, double t, std::span<const double> y, std::span<const double> z,
                           std::span<const double> guess) {
  ContactStart out;
  out.active = std::move(candidates);
  for (;;) {
    std::vector<std::int32_t> rows;
    std::vector<double> near;
    for (std::int32_t c = 0; c < system.m; ++c) {
      if (out.active[static_cast<std::size_t>(c)] == 0) continue;
      rows.push_back(c);
      near.push_back(guess[static_cast<std::size_t>(c)]);
    }
    Acceleration acceleration(system.restricted(rows));
    out.solved = solve_from(acceleration, t, y, z, near);
    out.psi.assign(static_cast<std::size_t>(system.m), 0.0);
    if (!out.solved) {
      out.reason = acceleration.report().reason;
      return out;
    }
    out.acceleration.assign(acceleration.acceleration().begin(), acceleration.acceleration().end());
    std::int32_t worst = -1;
    double least = 0.0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double psi = acceleration.multipliers()[i];
      out.psi[static_cast<std::size_t>(rows[i])] = psi;
      if (psi < least && std::find(unilateral.begin(), unilateral.end(), rows[i]) != unilateral.end()) {
        least = psi;
        worst = rows[i];
      }
    }
    if (worst < 0) return out;
    out.active[static_cast<std::size_t>(worst)] = 0;
  }
}

}  // namespace rattleback
