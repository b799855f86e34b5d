// A figure as data: panels with series of points. svg.hpp draws it.
#pragma once

#include <optional>
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
  // Instead: what Panel::bar has for this value; one for the series, or one for each point.
  std::vector<double> shade = {};
};

// What colours mean in a panel.
struct ColourBar {
  std::string label = {};
  double low = 0.0, high = 1.0;  // nan: there is no value
  bool logarithmic = false;
};

// Coloured cells around the middles x and y, which ascend; values row by row, for each y those of all x.
struct Map {
  std::vector<double> x = {}, y = {}, values = {};
};

struct Axis {
  std::string label = {};
  bool logarithmic = false;  // values that are not positive are left out
};

struct Panel {
  std::string title = {};
  Axis x = {}, y = {};
  std::vector<Series> series = {};
  bool same_scale = false;                        // one unit has the same length on both axes: for paths in a plane
  double height = 1.0;                            // in those of the other panels: less for a strip
  std::pair<double, double> marked = {0.0, 0.0};  // a stretch of the x axis with another ground; the same twice: none
  std::optional<ColourBar> bar = {};
  std::optional<Map> map = {};  // with a bar; below the series
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
