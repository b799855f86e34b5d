// Places where formulas are compared: an identity between them that holds at a few random points holds.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "rattleback/model.hpp"

namespace rattleback::report {

struct Sample {
  double t;
  std::vector<double> q, v;
};

inline std::vector<Sample> samples_of(const Model& model, int count) {
  std::mt19937_64 random(20240229);
  const auto number = [&] { return -1.0 + 2.0 * static_cast<double>(random() >> 11) * 0x1p-53; };
  std::vector<Sample> out;
  for (int i = 0; i < count; ++i) {
    Sample s{.t = 0.3 + i, .q = model.q0, .v = model.v0};
    for (double& q : s.q) q += number();
    for (double& v : s.v) v += number();
    out.push_back(std::move(s));
  }
  return out;
}

inline constexpr double kSame = 1e-9;
inline bool near(double a, double b) { return std::fabs(a - b) <= kSame * (1.0 + std::fabs(a) + std::fabs(b)); }

}  // namespace rattleback::report
