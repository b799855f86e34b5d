// SVG texts as PDF and PNG, drawn by librsvg and cairo (LGPL). They are looked for when the first such file is asked for, and
// nothing is linked with them: programs that draw none neither need nor load them.
#pragma once

#include <string>

namespace rattleback::plot {

// What the loader says when the libraries are not there; "" when they are.
std::string why_no_rsvg();

// The bytes of a PDF file with one page of the size of the drawing (96 pixels are an inch). Letters stay letters, and curves
// curves. It holds no time: the same drawing gives the same bytes. Throws Error.
std::string pdf_of(const std::string& svg, const std::string& title);

// The bytes of a PNG file on white paper, with kDotsPerInch. Throws Error.
std::string png_of(const std::string& svg);
inline constexpr int kDotsPerInch = 300;

}  // namespace rattleback::plot
