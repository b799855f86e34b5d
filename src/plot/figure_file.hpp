// Figures as files. The ending chooses the format: .svg for a browser, .pdf for a paper, .png where neither can be used.
#pragma once

#include <string>

#include "plot/figure.hpp"

namespace rattleback::plot {

// The endings, as help has them.
inline constexpr const char* kFigureFiles = "FILE.svg|FILE.pdf|FILE.png";

// Throws Error unless a figure could be written to `path`: an ending that is known and that this build and this machine can
// write, in a folder that exists and is writable, and not over a folder, a device or a read-only file. Nothing is touched.
void check_figure_path(const std::string& path);

// Whole or not at all. Throws Error.
void write_figure(const Figure& figure, const std::string& path);

}  // namespace rattleback::plot
