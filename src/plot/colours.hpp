// Colours for numbers: a straight line through CIELAB from a dark blue to a light yellow. So equal steps of the number are equal
// steps to the eye, the lightness alone tells more from less, also in grey, and blue and yellow stay apart for eyes without
// one kind of red or green cones (tests/plot/colours_test.cpp).
#pragma once

#include <string>

namespace rattleback::plot {

struct Lab {
  double L, a, b;
};
inline constexpr Lab kLeast{24.0, 16.0, -44.0}, kMost{87.0, -4.0, 66.0};

// "#rrggbb" of a part between 0 and 1.
std::string shade(double part);
// Of what is not a number.
inline constexpr const char* kNoShade = "#8c959f";

}  // namespace rattleback::plot
