// The largest magnitude in a vector, in several lanes: a single running maximum would wait for itself at every element.
#pragma once

#include <cmath>
#include <cstddef>

namespace rattleback {

// Running maxima of magnitudes. NaN is passed over.
struct Maximum {
  static constexpr std::size_t kLanes = 8;
  double lane[kLanes] = {};
  void see(std::size_t l, double x) {
    const double a = std::fabs(x);
    lane[l] = a > lane[l] ? a : lane[l];
  }
  [[nodiscard]] double value() const {
    double big = 0.0;
    for (const double x : lane) big = x > big ? x : big;
    return big;
  }
};

inline double largest(const double* x, std::size_t count) {
  std::size_t i = 0;
  double big = 0.0;
  if (count >= 2 * Maximum::kLanes) {
    Maximum m;
    for (; i + Maximum::kLanes <= count; i += Maximum::kLanes)
      for (std::size_t l = 0; l < Maximum::kLanes; ++l) m.see(l, x[i + l]);
    big = m.value();
  }
  for (; i < count; ++i) big = std::fabs(x[i]) > big ? std::fabs(x[i]) : big;
  return big;
}

}  // namespace rattleback
