#include "plot/svg_text.hpp"

#include <fmt/format.h>

#include "files/harmless.hpp"

namespace rattleback::plot {

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto [size, harmful] = files::first_character(text);
    switch (text.front()) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += harmful ? "\xef\xbf\xbd" : text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  return out;
}

std::string text_at(double x, double y, const std::string& anchor, const std::string& more, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more,
                     escaped(text));
}

}  // namespace rattleback::plot
