#include "model/series.hpp"

#include <charconv>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "files/read.hpp"
#include "rattleback/error.hpp"
#include "text/csv_line.hpp"

namespace rattleback::front {
namespace {

constexpr std::size_t kMaxRows = 10'000'000;

}  // namespace

NodeId build_series(const Source& source, const SeriesText& series, const std::string& input, Graph& graph) {
  const std::filesystem::path file = std::filesystem::path(source.file()).parent_path() / series.file;
  const std::string shown = file.string();
  FilePlace at = source.where(series.offset);
  const auto fail = [&](const std::string& what) {
    throw Error(source.place(series.offset) + "input `" + input + "`: " + what, at);
  };
  const files::FileText read = files::read_text(shown, files::kLargestTable);
  if (!read.fault.empty()) fail("`" + shown + "` " + read.fault + (read.is_folder ? ", not a CSV file" : ""));

  at = {.file = shown};
  // Messages tell places, never what stands there: a model from a stranger may name any file.
  CsvText text(read.text);
  const auto place = [&] { return shown + ":" + std::to_string(text.number()) + ": "; };
  const auto cells_of = [&](std::string_view line) {
    CsvLine found = csv_line(line);
    at.line = text.number();
    at.column = 0;
    if (found.open) fail(place() + "a quote is not closed in this line");
    return found;
  };
  std::string_view line;
  if (!text.next(line)) fail("`" + shown + "` is empty. Its first line names the columns");
  const std::vector<std::string> header = cells_of(line).cells;
  const auto find = [&](const std::string& name, const std::string& key) {
    for (std::size_t i = 0; i < header.size(); ++i)
      if (header[i] == name) return i;
    fail(fmt::format(
        "`{}` has no column `{}` among its {}. Write {} = \"NAME\" with a name that stands in its first line", shown,
        name, header.size(), key));
    return std::size_t{0};
  };
  const std::size_t time = find(series.time, "time"), column = find(series.column, "column");

  std::vector<double> t, value;
  while (text.next(line)) {
    const auto [cells, columns, open] = cells_of(line);
    const auto number = [&, &cells = cells, &columns = columns](std::size_t i) {
      if (i >= cells.size())
        fail(fmt::format("{}expected {} cells as in the header, found {}", place(), header.size(), cells.size()));
      at.column = columns[i];
      double x = 0.0;
      const std::string& cell = cells[i];
      const char* const begin = cell.data() + (cell.starts_with('+') ? 1 : 0);
      const auto [end, fault] = std::from_chars(begin, cell.data() + cell.size(), x);
      if (fault != std::errc() || end != cell.data() + cell.size() || !std::isfinite(x))
        fail(fmt::format("{}expected a number in column {}", place(), i + 1));
      return x;
    };
    t.push_back(number(time));
    value.push_back(number(column));
    if (t.size() > 1 && !(t.back() > t[t.size() - 2])) {
      at.column = columns[time];
      fail(fmt::format("{}the time in column {} does not increase", place(), time + 1));
    }
    if (t.size() > kMaxRows) fail("`" + shown + "` has more than " + std::to_string(kMaxRows) + " rows");
  }
  if (t.empty()) fail("`" + shown + "` has a header but no rows");
  if (t.size() == 1) return graph.constant(value[0]);
  t.insert(t.end(), value.begin(), value.end());
  return graph.lookup(graph.add_table(std::move(t)), graph.variable(kTime, 0));
}

}  // namespace rattleback::front
