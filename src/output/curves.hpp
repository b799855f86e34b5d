// Columns over time as curves of a figure, with no more points than can be seen.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "output/thinning.hpp"
#include "plot/figure.hpp"

namespace rattleback::report {

// One of them.
struct Line {
  std::string label;
  std::span<const double> t;
  Column values;
  int colour = -1;  // -1: the next of the palette
};

// Of very many rows those that show, extremes included: a drawing must not need as much memory as the run has.
plot::Series curve(const Line& line);

// The largest of |value - offset| in each of many equal pieces of the run: what is drawn of a residual that jumps between
// rounding errors. A level that is exactly 0 has no place on a logarithmic axis: it is drawn at the smallest number that
// rounding leaves.
plot::Series envelope(const Line& line, double offset = 0.0);

// How long the stretch is that shows the fastest of them; 0: the whole run does (long_run.hpp).
double window_of(const std::vector<Line>& lines);

// The panel with these curves. With a window: the first stretch of them, which is so long, and a strip with the whole run.
void add_curves(plot::Figure& figure, plot::Panel panel, const std::vector<Line>& lines, double window);

}  // namespace rattleback::report
