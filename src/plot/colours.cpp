#include "plot/colours.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace rattleback::plot {

// CIELAB to sRGB, with the white of D65.
std::string shade(double part) {
  const double p = std::clamp(part, 0.0, 1.0);
  const auto between = [p](double x, double y) { return x + p * (y - x); };
  const double L = between(kLeast.L, kMost.L), a = between(kLeast.a, kMost.a), b = between(kLeast.b, kMost.b);
  const auto linear = [](double f) { return f > 6.0 / 29.0 ? f * f * f : 3.0 * 36.0 / 841.0 * (f - 4.0 / 29.0); };
  const double fy = (L + 16.0) / 116.0, x = 0.95047 * linear(fy + a / 500.0), y = linear(fy),
               z = 1.08883 * linear(fy - b / 200.0);
  const auto byte = [](double c) {
    const double light = std::clamp(c, 0.0, 1.0);
    const double level = light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1.0 / 2.4) - 0.055;
    return static_cast<int>(std::lround(255.0 * level));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(3.2404542 * x - 1.5371385 * y - 0.4985314 * z),
                     byte(-0.9692660 * x + 1.8760108 * y + 0.0415560 * z),
                     byte(0.0556434 * x - 0.2040259 * y + 1.0572252 * z));
}

}  // namespace rattleback::plot
