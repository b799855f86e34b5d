#include "support/rolling_ball.hpp"

#include <array>
#include <cmath>

namespace rattleback::testing {

Reals centre_of_the_ball(Real x, Real vy, Real spin, Real until, int steps) {
  const Real a = 0.1L, rho = 0.9L, g = 9.81L, I = 0.4L * a * a;
  using State = std::array<Real, 6>;
  const auto rate = [&](const State& s) {
    const Real* const n = s.data();
    const Real* const w = s.data() + 3;
    const Real cross[3] = {w[1] * n[2] - w[2] * n[1], w[2] * n[0] - w[0] * n[2], w[0] * n[1] - w[1] * n[0]};
    const Real speed2 = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    State out{};
    for (std::size_t i = 0; i < 3; ++i) {
      out[i] = w[i];
      out[3 + i] =
          (I * spin * cross[i] - a * g * ((i == 2 ? 1.0L : 0.0L) - n[i] * n[2])) / ((a + I / a) * rho) - speed2 * n[i];
    }
    return out;
  };
  State s{x / rho, 0.0L, -std::sqrt(rho * rho - x * x) / rho, 0.0L, vy / rho, 0.0L};
  const Real h = until / steps;
  const auto moved = [](const State& from, Real by, const State& along) {
    State out = from;
    for (std::size_t i = 0; i < 6; ++i) out[i] += by * along[i];
    return out;
  };
  for (int k = 0; k < steps; ++k) {
    const State k1 = rate(s), k2 = rate(moved(s, h / 2, k1)), k3 = rate(moved(s, h / 2, k2)),
                k4 = rate(moved(s, h, k3));
    for (std::size_t i = 0; i < 6; ++i) s[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  return {rho * s[0], rho * s[1], rho * s[2], rho * s[3], rho * s[4], rho * s[5]};
}

}  // namespace rattleback::testing
