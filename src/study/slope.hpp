// The straight line through measured errors on logarithmic axes.
#pragma once

#include <vector>

namespace rattleback {

struct Line {
  double fitted, last;  // slope over all points; between the two with the smallest x. NaN with fewer than two
  int points;           // used
};

// Slope of log(error) over log|x|; points whose error is not above `floor` are rounding and do not count.
Line fit_line(const std::vector<double>& x, const std::vector<double>& errors, double floor);

// Errors below this are rounding: some hundred units in the last place of a state of this size.
double rounding_floor(double size);

}  // namespace rattleback
