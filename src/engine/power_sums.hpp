// Energies over the steps of a run: what was stored, supplied and dissipated, and how well that adds up in each step.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "rattleback/simulate.hpp"

namespace rattleback {

class PowerSums {
 public:
  // `values` of Equations::power for each step: 4, and 4 more for each part of an interconnection.
  explicit PowerSums(std::int32_t values)
      : parts_(static_cast<std::size_t>(values) / 4 - 1),
        step_(static_cast<std::size_t>(values), 0.0),
        sum_(step_.size(), 0.0),
        rest_(step_.size(), 0.0),
        worst_(parts_, 0.0) {}

  void reset() { *this = PowerSums(static_cast<std::int32_t>(step_.size())); }
  // The energies of a step, or of one sub-step of a composition.
  void add(const double* values) {
    for (std::size_t i = 0; i < step_.size(); ++i) step_[i] = i == kEnergy ? values[i] : step_[i] + values[i];
  }
  // The step is complete.
  void finish() {
    const double energy = step_[kEnergy], before = energy - step_[kStored];
    largest_ = std::fmax(largest_, std::fmax(std::fabs(energy), std::fabs(before)));
    last_ = residual(0);
    max_residual_ = std::fmax(max_residual_, std::fabs(last_));
    const double dissipated = step_[kDissipated];
    least_ = std::fmin(least_, dissipated);
    // Rounding errors of a sum of squares do not make it negative; those of a matrix with a kernel may.
    if (dissipated < -1e3 * std::numeric_limits<double>::epsilon() * largest_) gaining_ += 1.0;
    double received = 0.0;
    for (std::size_t k = 1; k <= parts_; ++k) {
      received += step_[4 * k + 3];
      worst_[k - 1] = std::fmax(worst_[k - 1], std::fabs(residual(4 * k) - step_[4 * k + 3]));
    }
    connection_ = std::fmax(connection_, std::fabs(received));
    for (std::size_t i = 0; i < step_.size(); ++i) {  // Kahan's compensated sum
      const double x = step_[i] - rest_[i], s = sum_[i] + x;
      rest_[i] = (s - sum_[i]) - x;
      sum_[i] = s;
    }
    drop();
  }
  // The step failed.
  void drop() { std::fill(step_.begin(), step_.end(), 0.0); }

  [[nodiscard]] double last_residual() const { return last_; }
  [[nodiscard]] PowerBalance balance(std::span<const PortHamiltonianParts::Part> parts) const {
    PowerBalance out;
    out.max_residual = max_residual_;
    out.stored = sum_[kStored];
    out.supplied = sum_[kSupplied];
    out.dissipated = sum_[kDissipated];
    out.largest_energy = largest_;
    out.least_dissipated = least_;
    out.gaining_steps = static_cast<std::int64_t>(gaining_);
    out.connection_residual = connection_;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      out.parts.push_back(part(k));
      out.parts.back().name = parts[k].name;
    }
    return out;
  }
  [[nodiscard]] std::size_t parts() const { return parts_; }
  // Behind the energies of all; without a name.
  [[nodiscard]] PowerBalance::Part part(std::size_t k) const {
    const double* const x = sum_.data() + 4 * (k + 1);
    return {"", worst_[k], x[0], x[1], x[2], x[3]};
  }

  // For checkpoints and trial steps; between steps.
  [[nodiscard]] std::size_t size() const { return 6 + 2 * sum_.size() + parts_; }
  double* write(double* to) const {
    for (const double x : {max_residual_, largest_, least_, gaining_, connection_, last_}) *to++ = x;
    for (const auto* list : {&sum_, &rest_, &worst_})
      for (const double x : *list) *to++ = x;
    return to;
  }
  const double* read(const double* from) {
    for (double* x : {&max_residual_, &largest_, &least_, &gaining_, &connection_, &last_}) *x = *from++;
    for (auto* list : {&sum_, &rest_, &worst_})
      for (double& x : *list) x = *from++;
    return from;
  }

 private:
  static constexpr std::size_t kStored = 0, kSupplied = 1, kDissipated = 2, kEnergy = 3;
  [[nodiscard]] double residual(std::size_t first) const {
    return step_[first + kStored] - step_[first + kSupplied] + step_[first + kDissipated];
  }

  std::size_t parts_;
  std::vector<double> step_, sum_, rest_, worst_;
  double max_residual_ = 0.0, largest_ = 0.0, least_ = 0.0, gaining_ = 0.0, connection_ = 0.0, last_ = 0.0;
};

}  // namespace rattleback
