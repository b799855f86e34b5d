// System::observe() for many states at once: energies and constraint residuals of all lanes, with the same bits.
#pragma once

#include <vector>

#include "system/system.hpp"

namespace rattleback {

class LaneObserver {
 public:
  static constexpr int kWidth = 16;

  // Mechanical systems of single coordinates, and daes.
  explicit LaneObserver(const System& system);
  // Variable i of state l is q[i*kWidth + l]; v is not read for a dae.
  void set_parameters(std::span<const double> values, std::size_t lane) {
    (void)parameters_.set(values, w_.data(), kWidth, lane);
  }
  void observe(double t, const double* q, const double* v, System::Observation* out);

 private:
  std::size_t n_, nv_, positions_ = 0, velocities_ = 0;
  Program program_;
  ParameterSlots parameters_;
  std::vector<double> w_;
  std::int32_t t_ = 0, q_ = 0, v_ = 0, out_ = 0;
};

}  // namespace rattleback
