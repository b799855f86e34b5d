// A figure as data: panels with series of points. svg.hpp draws it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace rattleback::plot {

struct Series {
  enum class Style { line, points, line_and_points, dashed };
  std::string label = {};  // "" has no line in the legend
  std::vector<double> x = {}, y = {};
  Style style = Style::line;
  int colour = -1;  // -1: the next of the palette
};

struct Axis {
  std::string label = {};
  bool logarithmic = false;  // values that are not positive are left out
};

struct Panel {
  std::string title = {};
  Axis x = {}, y = {};
  std::vector<Series> series = {};
  bool same_scale = false;  // one unit has the same length on both axes: for paths in a plane
};

struct Figure {
  std::string title = {}, caption = {};
  std::vector<Panel> panels = {};
  int columns = 1;
};

// Points of a curve that look the same at this many pixels: of those that share a column the first, the lowest, the
// highest and the last, so that no extreme is hidden. Keeps the order.
std::vector<std::pair<double, double>> thinned(const std::vector<double>& x, const std::vector<double>& y, int pixels);

}  // namespace rattleback::plot
