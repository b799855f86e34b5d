// A figure as an SVG file that stands alone: no fonts, styles or scripts from elsewhere.
#pragma once

#include <cstdint>
#include <string>

#include "plot/figure.hpp"

namespace rattleback::plot {

enum class Page : std::uint8_t {
  as_reader,  // follows the reader's choice of a light or a dark page
  light,      // paper
};

std::string to_svg(const Figure& figure, Page page = Page::as_reader);

}  // namespace rattleback::plot
