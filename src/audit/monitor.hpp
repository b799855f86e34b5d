// Running numbers of the audit: they see every record and keep no history, so that a run of any length is audited.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace rattleback {

class Monitor {
 public:
  void see(double t, double energy, double position, double velocity) {
    if (count_ == 0) {
      t0_ = t;
      first_ = energy;
    }
    const double x = t - t0_, y = energy - first_;
    ++count_;
    sx_ += x;
    sy_ += y;
    sxx_ += x * x;
    sxy_ += x * y;
    last_ = energy;
    max_energy_error = std::fmax(max_energy_error, std::fabs(y));
    max_position = std::fmax(max_position, position);
    max_velocity = std::fmax(max_velocity, velocity);
  }
  void see_kinetic(double kinetic) { max_kinetic = std::fmax(max_kinetic, kinetic); }
  void see_midpoint(double residual) { max_midpoint = std::fmax(max_midpoint, residual); }

  [[nodiscard]] double initial_energy() const { return first_; }
  [[nodiscard]] double final_energy() const { return last_; }
  // Slope of the straight line fitted to the energy error.
  [[nodiscard]] double energy_drift() const {
    const double n = static_cast<double>(count_), d = n * sxx_ - sx_ * sx_;
    return count_ > 1 && d > 0.0 ? (n * sxy_ - sx_ * sy_) / d : 0.0;
  }

  double max_energy_error = 0.0, max_position = 0.0, max_velocity = 0.0, max_midpoint = 0.0, max_kinetic = 0.0;

  [[nodiscard]] std::vector<double> save() const {
    return {static_cast<double>(count_),
            t0_,
            first_,
            last_,
            sx_,
            sy_,
            sxx_,
            sxy_,
            max_energy_error,
            max_position,
            max_velocity,
            max_midpoint,
            max_kinetic};
  }
  // As many numbers as save() has.
  void load(std::span<const double> x) {
    count_ = static_cast<std::int64_t>(x[0]);
    t0_ = x[1];
    first_ = x[2];
    last_ = x[3];
    sx_ = x[4];
    sy_ = x[5];
    sxx_ = x[6];
    sxy_ = x[7];
    max_energy_error = x[8];
    max_position = x[9];
    max_velocity = x[10];
    max_midpoint = x[11];
    max_kinetic = x[12];
  }

 private:
  std::int64_t count_ = 0;
  double t0_ = 0.0, first_ = 0.0, last_ = 0.0, sx_ = 0.0, sy_ = 0.0, sxx_ = 0.0, sxy_ = 0.0;
};

}  // namespace rattleback
