#include "output/layout.hpp"

#include <algorithm>

namespace rattleback::report {

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string pad(std::string_view text, std::size_t width) {
  std::string out(text);
  out.append(width - std::min(width, display_width(text)), ' ');
  return out;
}

std::string pad_left(std::string_view text, std::size_t width) {
  return std::string(width - std::min(width, display_width(text)), ' ').append(text);
}

std::string wrap(std::string_view text, std::string_view first, std::string_view next) {
  std::string out, line(first);
  bool empty = true;
  const auto finish = [&] {
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find_first_not_of(" \n", at);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    if (!empty && display_width(line) + 1 + display_width(word) > kTextWidth) {
      finish();
      line = next;
      empty = true;
    }
    if (!empty) line += ' ';
    line += word;
    empty = false;
    at = end;
  }
  finish();
  return out;
}

std::string align(const std::vector<std::vector<std::string>>& rows, std::size_t indent,
                  const std::vector<bool>& right) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += "  ";
      line += i < right.size() && right[i] ? pad_left(row[i], widths[i]) : pad(row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

}  // namespace rattleback::report
