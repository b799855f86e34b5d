// A run with interpreted and one with compiled loops must have the same bits.
#pragma once

#include <cstring>

#include "engine/private_cache.hpp"
#include "rattleback/simulate.hpp"

namespace rattleback::testing {

inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

inline void compare(const Model& model, Options options) {
  options.native = "off";
  const Trajectory interpreted = simulate(model, options);
  options.native = "on";
  const Trajectory compiled = simulate(model, options);
  EXPECT_EQ(interpreted.status, Status::done) << interpreted.message;
  EXPECT_FALSE(interpreted.native);
  EXPECT_TRUE(compiled.native);
  EXPECT_EQ(compiled.status, interpreted.status);
  EXPECT_TRUE(same_bits(interpreted.q, compiled.q));
  EXPECT_TRUE(same_bits(interpreted.v, compiled.v));
  EXPECT_TRUE(same_bits(interpreted.multipliers, compiled.multipliers));
  EXPECT_TRUE(same_bits(interpreted.records.q, compiled.records.q));
  EXPECT_EQ(interpreted.newton_iterations, compiled.newton_iterations);
}

}  // namespace rattleback::testing
