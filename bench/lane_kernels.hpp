// Hand-written steps of many trajectories at once in SIMD lanes, without the library: the limit for ensembles. States and
// parameters are those of models/<system>.toml; value i of trajectory l is x[i][l].
#pragma once

#include <cstdint>

namespace kernels {

template <int Lanes>
struct ContactOscillators {
  alignas(64) double q[3][Lanes], v[3][Lanes];  // x y z
  double eps = 0.0;
};
template <int Lanes>
struct DoublePendulums {
  alignas(64) double q[4][Lanes], v[4][Lanes];  // x1 y1 x2 y2
  alignas(64) double guess[3][2][Lanes];        // multipliers of the last three steps, in a ring
  double m1 = 3.0, m2 = 1.0, l1 = 1.0, l2 = 1.0, g = 9.81;
  std::int64_t taken = 0;
};

// 8, 16 or 32 lanes; the best number depends on how many registers there are.
template <int Lanes>
void mclachlan_perlmutter(ContactOscillators<Lanes>& state, double h, std::int64_t steps);
template <int Lanes>
void rattle(DoublePendulums<Lanes>& state, double h, std::int64_t steps);

}  // namespace kernels
