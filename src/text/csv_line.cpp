#include "text/csv_line.hpp"

#include <algorithm>

namespace rattleback::front {

CsvLine csv_line(std::string_view line) {
  CsvLine out;
  out.cells.resize(1);
  out.columns.resize(1);  // 0: only blanks so far
  std::size_t column = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) ++column;  // the first byte of a character
    if (out.columns.back() == 0 && c != ' ' && c != '\t') out.columns.back() = column;
    if (c == '"' && out.open && i + 1 < line.size() && line[i + 1] == '"') {
      out.cells.back() += c;
      ++i;
      ++column;
    } else if (c == '"') {
      out.open = !out.open;
    } else if (c == ',' && !out.open) {
      out.cells.emplace_back();
      out.columns.push_back(0);
    } else {
      out.cells.back() += c;
    }
  }
  if (out.columns.back() == 0) out.columns.back() = column + 1;
  for (std::string& cell : out.cells) {
    const auto first = cell.find_first_not_of(" \t"), last = cell.find_last_not_of(" \t");
    cell = first == std::string::npos ? "" : cell.substr(first, last - first + 1);
  }
  return out;
}

bool CsvText::next(std::string_view& line) {
  while (!rest_.empty()) {
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace rattleback::front
