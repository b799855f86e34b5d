// A spherical pendulum on a rod whose length is a constraint, with a magnet below it: the model of the example.
#pragma once

#include <rattleback/rattleback.hpp>

struct MagneticPendulum {
  double m = 1.0, g = 1.0, length = 1.0, pull = 0.2, gap = 0.3;
  template <class T>
  T lagrangian(const T&, std::span<const T> q, std::span<const T> v) const {
    const T below = q[2] + (length + gap);  // height above the magnet
    const T distance = sqrt(q[0] * q[0] + q[1] * q[1] + below * below);
    return m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2.0 - m * g * q[2] + pull / distance;
  }
  template <class T>
  std::vector<T> holonomic(const T&, std::span<const T> q) const {
    return {q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - length * length};
  }
};

// What rattleback_add_step calls.
inline rattleback::Model magnetic_pendulum() {
  return rattleback::trace(MagneticPendulum{}, {.name = "magnetic pendulum",
                                                .coordinates = {"x", "y", "z"},
                                                .q = {0.6, 0.0, -0.8},
                                                .v = {0.0, 0.7, 0.0},
                                                .constraints = {"rod"}});
}
