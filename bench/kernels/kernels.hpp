// Hand-written steps of single methods on single systems, without the library: what a specialist would write, and the
// limit that the library is measured against. State and parameters are those of models/<system>.toml.
//
// Equations are solved to rounding. Where that takes an iteration, it starts from the solutions of the steps before (Memory)
// and ends when the next correction would be below rounding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/memory.hpp"

namespace kernels {

struct ContactOscillator {
  double q[3], v[3];  // x y z
  double eps = 0.0;
};
struct QuarticParticles {
  double q[7], v[7];  // x, w1 w2 w3, z1 z2 z3
};
struct NonholonomicParticle {
  double q[3], v[3];  // x y z
  Memory<6, 5> memory = {};
};
struct DoublePendulum {
  double q[4], v[4];  // x1 y1 x2 y2
  double m1 = 3.0, m2 = 1.0, l1 = 1.0, l2 = 1.0, g = 9.81;
  Memory<24, 8> memory = {};
};
struct QuarticReduced {
  double q[13];         // x, w1 w2 w3, z1 z2 z3, rho1 .. rho6
  double energy = 0.0;  // of the start of the run
  Memory<16, 5> memory = {};
};

void mclachlan_perlmutter(ContactOscillator& state, double h, std::int64_t steps);
void spark_lobatto_ab(ContactOscillator& state, double h, std::int64_t steps);  // s = 2
void mclachlan_perlmutter(QuarticParticles& state, double h, std::int64_t steps);
void spark_lobatto_ab(QuarticParticles& state, double h, std::int64_t steps);        // s = 2
void spark_gauss(NonholonomicParticle& state, double h, std::int64_t steps);         // s = 2, as if K were any function
void spark_gauss_linear(NonholonomicParticle& state, double h, std::int64_t steps);  // s = 2, linear in the multipliers
void dg_gonzalez(QuarticReduced& state, double h, std::int64_t steps);
void rattle(DoublePendulum& state, double h, std::int64_t steps);
void prk_lobatto(DoublePendulum& state, double h, std::int64_t steps);  // s = 3
void prk_murua(DoublePendulum& state, double h, std::int64_t steps);    // s = 3, GGL

// What the audit looks at.
struct Audit {
  double energy = 0.0, constraint = 0.0;
};
Audit audit(const ContactOscillator& state);
Audit audit(const QuarticParticles& state);
Audit audit(const NonholonomicParticle& state);
Audit audit(const DoublePendulum& state);
Audit audit(const QuarticReduced& state);

// Many trajectories in lanes: value i of lane j is q[i][j].
struct ContactOscillators {
  static constexpr std::size_t kLanes = 32;
  alignas(64) double q[3][kLanes], v[3][kLanes];
  double eps = 0.0;
};
struct DoublePendulums {
  static constexpr std::size_t kLanes = 16;
  alignas(64) double q[4][kLanes], v[4][kLanes];
  double m1 = 3.0, m2 = 1.0, l1 = 1.0, l2 = 1.0, g = 9.81;
  Memory<2 * kLanes, 6> memory = {};
};
void mclachlan_perlmutter(ContactOscillators& state, double h, std::int64_t steps);
void rattle(DoublePendulums& state, double h, std::int64_t steps);
Audit audit(const ContactOscillators& state);  // largest over the lanes
Audit audit(const DoublePendulums& state);

// A planar chain of N rods: x of all masses, then y.
struct Chain {
  explicit Chain(std::size_t links) : n(links), q(2 * links), v(2 * links) {}
  std::size_t n;
  std::vector<double> q, v;
  double m = 1.0, l = 1.0, g = 9.81;
  std::vector<double> s;  // multipliers and their differences over the last steps
  int known = 0;
  double h = 0.0;
};
void rattle(Chain& state, double h, std::int64_t steps);
Audit audit(const Chain& state);

}  // namespace kernels
