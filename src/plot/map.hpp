// Maps and colour bars as parts of an SVG file.
#pragma once

#include <string>

#include "plot/figure.hpp"
#include "plot/scale.hpp"

namespace rattleback::plot {

// "#rrggbb" of a value; kNoShade of one that the bar does not have.
std::string shade_of(const ColourBar& bar, double value);
// From the outer edge of the first cell to that of the last.
Range map_range(const Map& map, bool horizontal);
// The cells, each as far as the middle to its neighbours.
std::string map_cells(const Map& map, const ColourBar& bar, const Scale& X, const Scale& Y);
// What the colours mean, right of a panel: a bar from `bottom` to `top` with numbers and its label.
std::string drawn_bar(const ColourBar& bar, double left, double top, double bottom);
inline constexpr double kBarRoom = 92.0;  // that it needs

}  // namespace rattleback::plot
