// A figure as an SVG file that stands alone: no fonts, styles or scripts from elsewhere. It follows the reader's choice of a
// light or a dark page.
#pragma once

#include <string>

#include "plot/figure.hpp"

namespace rattleback::plot {

std::string to_svg(const Figure& figure);

}  // namespace rattleback::plot
