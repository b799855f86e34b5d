// One axis on the page: values to pixels.
#pragma once

#include <cmath>
#include <vector>

#include "plot/ticks.hpp"

namespace rattleback::plot {

class Scale {
 public:
  Scale(Range range, bool logarithmic, double from, double to)
      : range_(range), logarithmic_(logarithmic), from_(from), to_(to) {}
  [[nodiscard]] double operator()(double value) const {
    const auto place = [&](double v) { return logarithmic_ ? std::log10(v) : v; };
    const double low = place(range_.low), high = place(range_.high);
    return from_ + (place(value) - low) / (high - low) * (to_ - from_);
  }
  [[nodiscard]] bool shows(double value) const { return std::isfinite(value) && (!logarithmic_ || value > 0.0); }
  [[nodiscard]] std::vector<Tick> ticks(int wanted) const {
    return logarithmic_ ? logarithmic_ticks(range_, wanted) : linear_ticks(range_, wanted);
  }

 private:
  Range range_;
  bool logarithmic_;
  double from_, to_;
};

}  // namespace rattleback::plot
