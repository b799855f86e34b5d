// Where the marks of an axis stand, and how they are written.
#pragma once

#include <string>
#include <vector>

namespace rattleback::plot {

struct Tick {
  double at = 0.0;
  std::string text;  // "" for a mark between two that have a number
};

struct Range {
  double low = 0.0, high = 1.0;
};

// About `wanted` numbers 1, 2 or 5 times a power of ten, inside the range.
std::vector<Tick> linear_ticks(const Range& range, int wanted);
// Powers of ten; every n-th has a number when there are many.
std::vector<Tick> logarithmic_ticks(const Range& range, int wanted);

}  // namespace rattleback::plot
