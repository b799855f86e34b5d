// Colours of curves: apart from each other for all kinds of eyes, legible on the page, and the same in figures and pages.
#include "plot/palette.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "plot/cielab.hpp"

namespace rattleback::plot {
namespace {

double luminance(const std::string& hex) {
  const Three c = linear(hex);
  return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
}

double contrast(const std::string& a, const std::string& b) {
  const double x = luminance(a), y = luminance(b);
  return (std::fmax(x, y) + 0.05) / (std::fmin(x, y) + 0.05);
}

void expect_apart(const std::array<const char*, 8>& colours, const std::string& page) {
  for (std::size_t a = 0; a < colours.size(); ++a) {
    EXPECT_GE(contrast(colours[a], page), 2.95) << colours[a];
    for (std::size_t b = 0; b < a; ++b)
      for (const auto& [eye, matrix] : kEyes) {
        const auto seen = [&m = matrix](const char* colour) {
          Three c = times(m, linear(colour));
          for (double& x : c) x = std::clamp(x, 0.0, 1.0);
          return cielab(c);
        };
        const Three x = seen(colours[a]), y = seen(colours[b]);
        EXPECT_GT(std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]), 20.0)
            << eye << ": " << colours[a] << " " << colours[b];
      }
  }
}

TEST(Palette, IsApartForAllEyesOnALightPage) { expect_apart(kLight, "#ffffff"); }
TEST(Palette, IsApartForAllEyesOnADarkPage) { expect_apart(kDark, "#0d1117"); }

TEST(Palette, IsTheSameInPages) {
  std::ostringstream text;
  text << std::ifstream(std::string(RATTLEBACK_SOURCE_DIR) + "/web/page.css").rdbuf();
  for (const auto& colours : {kLight, kDark}) {
    std::string line = " ";
    for (std::size_t i = 0; i < colours.size(); ++i) line += " --s" + std::to_string(i) + ": " + colours[i] + ";";
    EXPECT_NE(text.str().find(line), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace rattleback::plot
