// The statistics of the energy over the members of an ensemble.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "rattleback/analysis.hpp"

namespace rattleback {

// Running mean and variance of E - E0 at each recorded time, one member after the other. [Welford1962]
class EnergySum {
 public:
  void add(const std::vector<double>& t, const std::vector<double>& energy) {
    if (count_ == 0) {
      out_.t = t;
      for (auto* list : {&out_.mean, &out_.variance, &out_.mean_square, &out_.max}) list->assign(t.size(), 0.0);
    }
    if (t != out_.t) differ_ = true;
    if (differ_) return;
    const double n = static_cast<double>(++count_);
    for (std::size_t i = 0; i < t.size(); ++i) {
      const double e = energy[i] - energy[0], d = e - out_.mean[i];
      out_.mean[i] += d / n;
      out_.variance[i] += d * (e - out_.mean[i]);  // sum of squares about the mean
      out_.mean_square[i] += (e * e - out_.mean_square[i]) / n;
      out_.max[i] = std::fmax(out_.max[i], std::fabs(e));
    }
  }

  // Members that an event has ended have other times than the others, and nothing is said of all.
  [[nodiscard]] bool differ() const { return differ_; }
  std::optional<EnergyStatistics> finish() {
    if (count_ == 0 || differ_) return std::nullopt;
    for (double& x : out_.variance) x /= static_cast<double>(count_);
    return std::move(out_);
  }

 private:
  std::int64_t count_ = 0;
  bool differ_ = false;
  EnergyStatistics out_;
};

}  // namespace rattleback
