// Colours as eyes see them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

namespace rattleback::plot {

using Three = std::array<double, 3>;
using Matrix = std::array<Three, 3>;

inline Three linear(const std::string& hex) {
  Three out = {};
  for (std::size_t i = 0; i < 3; ++i) {
    const double c = std::stoi(hex.substr(1 + 2 * i, 2), nullptr, 16) / 255.0;
    out[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  }
  return out;
}

inline Three times(const Matrix& m, const Three& x) {
  Three out = {};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) out[i] += m[i][k] * x[k];
  return out;
}

inline Three cielab(const Three& rgb) {
  const Matrix to_xyz = {{{0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}}};
  Three xyz = times(to_xyz, rgb);
  const Three white = {0.95047, 1.0, 1.08883};
  for (std::size_t i = 0; i < 3; ++i) {
    const double c = xyz[i] / white[i];
    xyz[i] = c > 0.008856 ? std::cbrt(c) : 7.787 * c + 16.0 / 116.0;
  }
  return {116.0 * xyz[1] - 16.0, 500.0 * (xyz[0] - xyz[1]), 200.0 * (xyz[1] - xyz[2])};
}

// What eyes see: all cones, and without one of the three (Machado, Oliveira and Fernandes 2009, severity 1).
inline const std::array<std::pair<const char*, Matrix>, 4> kEyes = {{
    {"usual", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
    {"protanope",
     {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}}},
    {"deuteranope",
     {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}}},
    {"tritanope",
     {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}},
}};

}  // namespace rattleback::plot
