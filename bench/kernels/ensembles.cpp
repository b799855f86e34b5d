// Many trajectories in SIMD lanes: mclachlan-perlmutter on 32 contact oscillators, rattle on 16 double pendulums. The steps are
// those of contact_oscillator.cpp and rods.hpp, with a vector of four lanes in the place of a number. A pendulum's iteration goes on
// until the last lane of its vector has converged.
#include <cmath>

#include "kernels/kernels.hpp"

namespace kernels {
namespace {

using Four = double __attribute__((vector_size(32)));

double squared(Four x, Four y) {  // of all lanes together
  const Four z = x * x + y * y, w = z + __builtin_shufflevector(z, z, 2, 3, 0, 1);
  return w[0] + w[1];
}

}  // namespace
}  // namespace kernels

#include "kernels/rods.hpp"  // after the squared() of lanes

namespace kernels {

void mclachlan_perlmutter(ContactOscillators& state, double h, std::int64_t steps) {
  constexpr int kVectors = ContactOscillators::kLanes / 4;
  const double half = 0.5 * h, h_eps = h * state.eps;
  auto* const q = reinterpret_cast<Four(*)[kVectors]>(state.q);
  auto* const v = reinterpret_cast<Four(*)[kVectors]>(state.v);
  for (std::int64_t k = 0; k < steps; ++k)
    for (int i = 0; i < kVectors; ++i) {
      Four vx = v[0][i], vy = v[1][i], vz = v[2][i];
      const Four x = q[0][i] + half * vx, y = q[1][i] + half * vy, z = q[2][i] + half * vz;
      vx -= x * (h + h_eps * (z * z));
      vy -= h * y;
      vz -= z * (h + h_eps * (x * x));
      const Four y1 = y + half * vy;
      const Four s = (vx + y1 * vz) / (1.0 + y1 * y);
      vx -= s;
      vz -= y * s;
      q[0][i] = x + half * vx;
      q[1][i] = y1;
      q[2][i] = z + half * vz;
      v[0][i] = vx;
      v[1][i] = vy;
      v[2][i] = vz;
    }
}

void rattle(DoublePendulums& state, double h, std::int64_t steps) {
  constexpr int kVectors = DoublePendulums::kLanes / 4;
  const RodConstants c = rod_constants(state);
  auto* const q = reinterpret_cast<Four(*)[kVectors]>(state.q);
  auto* const v = reinterpret_cast<Four(*)[kVectors]>(state.v);
  Rods<Four> rods[kVectors];
  for (int i = 0; i < kVectors; ++i)
    rods[i] = {q[0][i], q[1][i], q[2][i] - q[0][i], q[3][i] - q[1][i],
               v[0][i], v[1][i], v[2][i] - v[0][i], v[3][i] - v[1][i]};
  auto& memory = state.memory;
  memory.begin(h);
  for (std::int64_t k = 0; k < steps; ++k) {
    alignas(32) double guess[2 * DoublePendulums::kLanes];
    memory.predict(guess);
    auto* const s = reinterpret_cast<Four*>(guess);
    for (int i = 0; i < kVectors; ++i) rattle_step(c, h, rods[i], s[i], s[kVectors + i]);
    memory.remember(guess);
  }
  for (int i = 0; i < kVectors; ++i) {
    const Rods<Four>& r = rods[i];
    q[0][i] = r.ax;
    q[1][i] = r.ay;
    q[2][i] = r.ax + r.bx;
    q[3][i] = r.ay + r.by;
    v[0][i] = r.wax;
    v[1][i] = r.way;
    v[2][i] = r.wax + r.wbx;
    v[3][i] = r.way + r.wby;
  }
}

namespace {

template <class One, class Many>
Audit worst(const Many& many, One one) {
  Audit out;
  for (std::size_t lane = 0; lane < Many::kLanes; ++lane) {
    for (std::size_t i = 0; i < std::size(one.q); ++i) {
      one.q[i] = many.q[i][lane];
      one.v[i] = many.v[i][lane];
    }
    const Audit here = audit(one);
    out.energy = std::fmax(out.energy, here.energy);
    out.constraint = std::fmax(out.constraint, here.constraint);
  }
  return out;
}

}  // namespace

Audit audit(const ContactOscillators& state) {
  return worst(state, ContactOscillator{.q = {}, .v = {}, .eps = state.eps});
}
Audit audit(const DoublePendulums& state) {
  return worst(
      state,
      DoublePendulum{.q = {}, .v = {}, .m1 = state.m1, .m2 = state.m2, .l1 = state.l1, .l2 = state.l2, .g = state.g});
}

}  // namespace kernels
