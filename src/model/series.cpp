#include "model/series.hpp"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "model/suggest.hpp"

namespace rattleback::front {
namespace {

constexpr std::size_t kMaxRows = 10'000'000;

// The cells of one line; quotes as in RFC 4180, blanks around a cell do not count.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += c;
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  for (std::string& cell : cells) {
    const std::size_t from = cell.find_first_not_of(" \t");
    cell = from == std::string::npos ? "" : cell.substr(from, cell.find_last_not_of(" \t") - from + 1);
  }
  return cells;
}

}  // namespace

NodeId build_series(const Source& source, const SeriesText& series, const std::string& input, Graph& graph) {
  const std::filesystem::path file = std::filesystem::path(source.file()).parent_path() / series.file;
  const std::string shown = file.string();
  const auto fail = [&](const std::string& what) { source.fail(series.offset, "input `" + input + "`: " + what); };
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) fail("`" + shown + "` is a folder, not a CSV file");
  std::ifstream in(file, std::ios::binary);
  if (!in) fail("`" + shown + "` cannot be read: " + std::strerror(errno));

  std::string line;
  if (!std::getline(in, line)) fail("`" + shown + "` is empty. Its first line names the columns");
  if (line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);  // a byte order mark
  const std::vector<std::string> header = cells_of(line);
  const auto find = [&](const std::string& name, const std::string& key) {
    for (std::size_t i = 0; i < header.size(); ++i)
      if (header[i] == name) return i;
    fail("`" + shown + "` has no column `" + name + "`. " + did_you_mean(name, header) + "Write " + key +
         " = \"NAME\" with one of: " + listed(header));
    return std::size_t{0};
  };
  const std::size_t time = find(series.time, "time"), column = find(series.column, "column");

  std::vector<double> t, value;
  for (std::size_t number = 2; std::getline(in, line); ++number) {
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() == 1 && cells[0].empty()) continue;  // an empty line
    const std::string place = shown + ":" + std::to_string(number) + ": ";
    const auto read = [&](std::size_t i, const std::string& name) {
      if (i >= cells.size())
        fail(place + "expected " + std::to_string(header.size()) + " cells as in the header, found " +
             std::to_string(cells.size()));
      double x = 0.0;
      const std::string& cell = cells[i];
      const char* const begin = cell.data() + (cell.starts_with('+') ? 1 : 0);
      const auto [end, fault] = std::from_chars(begin, cell.data() + cell.size(), x);
      if (fault != std::errc() || end != cell.data() + cell.size() || !std::isfinite(x))
        fail(fmt::format("{}expected a number in column `{}`, found `{}`", place, name, cell.substr(0, 40)));
      return x;
    };
    t.push_back(read(time, series.time));
    value.push_back(read(column, series.column));
    if (t.size() > 1 && !(t.back() > t[t.size() - 2]))
      fail(place + "time does not increase: " + number_text(t.back()) + " after " + number_text(t[t.size() - 2]));
    if (t.size() > kMaxRows) fail("`" + shown + "` has more than " + std::to_string(kMaxRows) + " rows");
  }
  if (t.empty()) fail("`" + shown + "` has a header but no rows");
  if (t.size() == 1) return graph.constant(value[0]);
  t.insert(t.end(), value.begin(), value.end());
  return graph.lookup(graph.add_table(std::move(t)), graph.variable(kTime, 0));
}

}  // namespace rattleback::front
