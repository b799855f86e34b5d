#include "system/lane_observer.hpp"

#include <algorithm>
#include <cmath>

namespace rattleback {

LaneObserver::LaneObserver(const System& system)
    : n_(static_cast<std::size_t>(system.n())), nv_(static_cast<std::size_t>(system.nv())) {
  const Mechanical* const mechanical = system.as<Mechanical>();
  Graph g = mechanical != nullptr ? mechanical->graph : system.dae().graph;
  const Watched all = mechanical != nullptr ? watched(g, *mechanical) : watched(g, system.dae());
  positions_ = all.positions;
  velocities_ = all.velocities;
  Assembler a(g);
  t_ = a.place(kTime, 1) * kWidth;
  q_ = a.place(kPosition, system.n()) * kWidth;
  v_ = a.place(kVelocity, system.n()) * kWidth;
  a.place(kMultiplier, system.m());
  a.announce(all.nodes);
  const std::int32_t first = a.reserve(static_cast<std::int32_t>(all.nodes.size()));
  for (std::size_t i = 0; i < all.nodes.size(); ++i)
    a.store(program_, all.nodes[i], first + static_cast<std::int32_t>(i));
  out_ = first * kWidth;
  w_ = a.image(kWidth);
  parameters_ = a.parameters();
}

void LaneObserver::observe(double t, const double* q, const double* v, System::Observation* out) {
  std::fill_n(w_.data() + t_, kWidth, t);
  std::copy_n(q, n_ * kWidth, w_.data() + q_);
  std::copy_n(v, nv_ * kWidth, w_.data() + v_);
  program_.run_lanes<kWidth>(w_.data());
  const double* const x = w_.data() + out_;
  for (std::size_t l = 0; l < kWidth; ++l) {
    System::Observation& o = out[l];
    o = {.energy = x[l], .kinetic = std::fabs(x[kWidth + l])};
    const double* value = x + 2 * static_cast<std::size_t>(kWidth) + l;
    for (std::size_t i = 0; i < positions_; ++i, value += kWidth) o.position = std::fmax(o.position, std::fabs(*value));
    for (std::size_t i = 0; i < velocities_; ++i, value += kWidth)
      o.velocity = std::fmax(o.velocity, std::fabs(*value));
  }
}

}  // namespace rattleback
