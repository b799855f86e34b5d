#include "plot/ticks.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace rattleback::plot {
namespace {

// Without digits that only rounding put there, and with a true minus.
std::string number(double value, double step) {
  if (std::fabs(value) < 1e-9 * step) return "0";
  const double size = std::fabs(value);
  std::string text;
  if (size >= 1e5 || size < 1e-3) {
    const double exponent = std::floor(std::log10(size) + 1e-9);
    const double mantissa = value / std::pow(10.0, exponent);
    text = fmt::format("{:.4g}e{}", mantissa, static_cast<int>(exponent));
  } else {
    const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
    text = fmt::format("{:.{}f}", value, decimals);
  }
  return text;
}

}  // namespace

std::vector<Tick> linear_ticks(const Range& range, int wanted) {
  const double width = range.high - range.low;
  if (!(width > 0.0) || !std::isfinite(width)) return {};
  const double rough = width / std::max(1, wanted), power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10.0 * power;
  for (const double nice : {1.0, 2.0, 5.0})
    if (nice * power >= rough * (1.0 - 1e-9)) {
      step = nice * power;
      break;
    }
  std::vector<Tick> ticks;
  const double first = std::ceil(range.low / step - 1e-9);
  for (double k = first; k * step <= range.high + 1e-9 * step; k += 1.0)
    ticks.push_back({k * step, number(k * step, step)});
  return ticks;
}

std::vector<Tick> logarithmic_ticks(const Range& range, int wanted) {
  const double low = std::ceil(std::log10(range.low) - 1e-9), high = std::floor(std::log10(range.high) + 1e-9);
  const int count = static_cast<int>(high - low) + 1;
  const int every = std::max(1, (count + wanted - 1) / std::max(1, wanted));
  std::vector<Tick> ticks;
  for (int k = 0; k < count; ++k) {
    const int exponent = static_cast<int>(low) + k;
    ticks.push_back({std::pow(10.0, exponent), exponent % every == 0 ? fmt::format("1e{}", exponent) : ""});
  }
  if (count <= 2) {  // less than two decades: also 2 and 5
    for (int exponent = static_cast<int>(low) - 1; exponent <= static_cast<int>(high); ++exponent)
      for (const int digit : {2, 5}) {
        const double at = digit * std::pow(10.0, exponent);
        if (at >= range.low && at <= range.high) ticks.push_back({at, fmt::format("{}e{}", digit, exponent)});
      }
    std::ranges::sort(ticks, {}, &Tick::at);
  }
  return ticks;
}

}  // namespace rattleback::plot
