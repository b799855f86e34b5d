// Starting values of a step from the solutions of the steps before it.
//
// The unknowns of equal steps are samples of smooth functions of time. A polynomial through the last eight meets the
// next one much better than one through the last three where the motion is smooth compared with the step, and worse
// where it is not. Which of the two is better is looked at now and then, by how each would have met the newest
// solution; in between, a first correction that is not small ends the use of the eight. Small systems, which are solved
// with the exact matrix in every iteration, take as many from either, and have the cheaper one.
//
// Solutions are rows of one array. When its end is reached, the last eight rows move to its beginning, so that the rows
// behind the newest one always lie one after the other. Generated headers repeat this text.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "step/stopping.hpp"

namespace rattleback::starting {

inline constexpr std::size_t kNear = 3, kFar = 8;  // solutions that a prediction uses
inline constexpr std::size_t kRows = 16;
inline constexpr double kRough = 1e-3;     // first correction, relative, that is not small
inline constexpr std::int64_t kLook = 16;  // steps after which the choice is looked at again; a power of two

// Is the far prediction of any use for this plan?
template <class Plan>
bool looks_far(const Plan& plan) {
  return std::any_of(plan.blocks().begin(), plan.blocks().end(),
                     [](const auto& b) { return !b.linear && b.size > newton::kFullNewton; });
}

// age(k): an unknown k solutions before the newest, as a number or as a piece of text (engine/text/said.hpp).
template <class Age>
auto near_prediction(const Age& age) {
  return 3.0 * (age(0) - age(1)) + age(2);
}
// Sums begin with the old ones: only the newest has just been computed.
template <class Age>
auto far_prediction(const Age& age) {
  return 8.0 * age(0) + (56.0 * (age(2) + age(4)) - 28.0 * (age(1) + age(5)) + (8.0 * age(6) - age(7) - 70.0 * age(3)));
}

// x: an unknown in the newest row; width: the length of a row.
inline double near_value(const double* x, std::ptrdiff_t width) {
  return near_prediction([&](std::ptrdiff_t k) { return x[-k * width]; });
}
inline double far_value(const double* x, std::ptrdiff_t width) {
  return far_prediction([&](std::ptrdiff_t k) { return x[-k * width]; });
}

// Where the next solution goes.
inline double* next_row(double* rows, std::size_t width, std::int32_t& newest) {
  if (newest == static_cast<std::int32_t>(kRows) - 1) {
    std::copy_n(rows + (kRows - kFar) * width, kFar * width, rows);
    newest = static_cast<std::int32_t>(kFar) - 1;
  }
  ++newest;
  return rows + static_cast<std::size_t>(newest) * width;
}

// Would the newest solution, a row of `count` unknowns `step` apart, have been met better by the far polynomial?
inline bool far_is_better(const double* x, std::size_t count, std::ptrdiff_t width, std::size_t step = 1) {
  double near_by = 0.0, far = 0.0;
  for (std::size_t i = 0; i < count; ++i, x += step) {
    near_by += std::fabs(x[0] - near_value(x - width, width));
    far += std::fabs(x[0] - far_value(x - width, width));
  }
  return far < near_by;
}

// The solutions of one sub-step, wherever they are kept.
struct Past {
  double* rows;
  std::size_t width;
  // How many solutions there are, up to kFar; the row of the newest; is the far prediction the one to use?
  std::int32_t &depth, &newest, &far;

  [[nodiscard]] bool is_warm() const { return depth >= static_cast<std::int32_t>(kNear); }
  void forget() const { depth = far = 0; }

  // Into the slots of the unknowns.
  void predict(std::span<const std::int32_t> unknowns, double* w) const {
    const double* const x = rows + static_cast<std::size_t>(newest) * width;
    const auto step = static_cast<std::ptrdiff_t>(width);
    if (far != 0 && depth >= static_cast<std::int32_t>(kFar))
      for (std::size_t i = 0; i < unknowns.size(); ++i) w[unknowns[i]] = far_value(x + i, step);
    else
      for (std::size_t i = 0; i < unknowns.size(); ++i) w[unknowns[i]] = near_value(x + i, step);
  }

  // One more, whose first correction was `first`. look: it is time to look which prediction is the better one.
  void remember(std::span<const std::int32_t> unknowns, const double* w, double first, bool look) {
    double* const x = next_row(rows, width, newest);
    for (std::size_t i = 0; i < unknowns.size(); ++i) x[i] = w[unknowns[i]];
    if (first > kRough)
      far = 0;
    else if (look && depth == static_cast<std::int32_t>(kFar))
      far = far_is_better(x, unknowns.size(), static_cast<std::ptrdiff_t>(width)) ? 1 : 0;
    depth = std::min(depth + 1, static_cast<std::int32_t>(kFar));
  }
};

}  // namespace rattleback::starting
