// Texts of an SVG file.
#pragma once

#include <string>
#include <string_view>

namespace rattleback::plot {

// As text of XML, which knows no control characters; they become U+FFFD.
std::string escaped(std::string_view text);
// anchor: "start", "middle" or "end"; more: further attributes, with a space before them.
std::string text_at(double x, double y, const std::string& anchor, const std::string& more, const std::string& text);

}  // namespace rattleback::plot
