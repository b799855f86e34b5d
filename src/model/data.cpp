#include "model/data.hpp"

#include <algorithm>
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

// Reads two columns.
class DataReader {
 public:
  DataReader(const Source& source, const DataText& text, std::string shown, std::string_view csv)
      : source_(source), text_(text), shown_(std::move(shown)), csv_(csv) {}

  void read(DataTable& to) {
    std::string_view line;
    at_ = {.file = shown_};
    if (!csv_.next(line)) fail("`" + shown_ + "` is empty. Its first line names the columns");
    header_ = cells_of(line).cells;
    const std::size_t at = find(text_.at, text_.at_key), column = find(text_.column, text_.column_key);
    while (csv_.next(line)) {
      const CsvLine cells = cells_of(line);
      to.at.push_back(number(cells, at));
      to.value.push_back(number(cells, column));
      at_.column = cells.columns[at];
      if (to.at.size() > 1 && !(to.at.back() > to.at[to.at.size() - 2]))
        fail(fmt::format("{}{} in column {} does not increase", place(),
                         text_.at_key == "time" ? "the time" : "`" + text_.at_key + "`", at + 1));
      if (to.at.size() > kMaxRows) fail("`" + shown_ + "` has more than " + std::to_string(kMaxRows) + " rows");
    }
    if (to.at.empty()) fail("`" + shown_ + "` has a header but no rows");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(source_.place(text_.offset) + text_.what + ": " + what, at_);
  }
  // Messages tell places, never what stands there: a model from a stranger may name any file.
  [[nodiscard]] std::string place() const { return shown_ + ":" + std::to_string(csv_.number()) + ": "; }

  CsvLine cells_of(std::string_view line) {
    at_ = {.file = shown_, .line = csv_.number()};
    CsvLine found = csv_line(line);
    if (found.open) fail(place() + "a quote is not closed in this line");
    return found;
  }

  [[nodiscard]] std::size_t find(const std::string& name, const std::string& key) const {
    for (std::size_t i = 0; i < header_.size(); ++i)
      if (header_[i] == name) return i;
    fail(fmt::format(
        "`{}` has no column `{}` among its {}. Write {} = \"NAME\" with a name that stands in its first line", shown_,
        name, header_.size(), key));
  }

  [[nodiscard]] double number(const CsvLine& line, std::size_t i) {
    if (i >= line.cells.size())
      fail(fmt::format("{}expected {} cells as in the header, found {}", place(), header_.size(), line.cells.size()));
    at_.column = line.columns[i];
    double x = 0.0;
    const std::string& cell = line.cells[i];
    const char* const begin = cell.data() + (cell.starts_with('+') ? 1 : 0);
    const auto [end, fault] = std::from_chars(begin, cell.data() + cell.size(), x);
    if (fault != std::errc() || end != cell.data() + cell.size() || !std::isfinite(x))
      fail(fmt::format("{}expected a number in column {}", place(), i + 1));
    return x;
  }

  const Source& source_;
  const DataText& text_;
  std::string shown_;
  CsvText csv_;
  std::vector<std::string> header_;
  FilePlace at_;
};

// A lookup that is constant from each point to the next: every point stands there twice, with the value before and behind.
NodeId held(Graph& graph, const std::vector<double>& at, const std::vector<double>& value, NodeId x) {
  std::vector<double> table;
  for (std::size_t i = 0; i < value.size(); ++i) {
    table.push_back(at[i]);
    if (i + 1 < at.size()) table.push_back(at[i + 1]);
  }
  const std::size_t points = table.size();
  for (std::size_t i = 0; i < value.size(); ++i) {
    table.push_back(value[i]);
    if (table.size() < 2 * points) table.push_back(value[i]);
  }
  return graph.lookup(graph.add_table(std::move(table)), x);
}

// Second derivatives of the spline at its points: those of the first and last follow from their neighbours, so that the
// third derivative does not jump there.
std::vector<double> bends(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t n = x.size();
  std::vector<double> M(n, 0.0);
  if (n < 3) return M;
  const auto h = [&](std::size_t i) { return x[i + 1] - x[i]; };
  const auto slope = [&](std::size_t i) { return (y[i + 1] - y[i]) / h(i); };
  if (n == 3) {  // a parabola
    std::fill(M.begin(), M.end(), 2.0 * (slope(1) - slope(0)) / (h(0) + h(1)));
    return M;
  }
  std::vector<double> diagonal(n, 0.0), above(n, 0.0), right(n, 0.0);
  const auto last = n - 2;
  for (std::size_t i = 1; i <= last; ++i) {
    double below = h(i - 1);
    diagonal[i] = 2.0 * (h(i - 1) + h(i));
    above[i] = h(i);
    right[i] = 6.0 * (slope(i) - slope(i - 1));
    if (i == 1) {
      diagonal[i] += h(0) * (1.0 + h(0) / h(1));
      above[i] -= h(0) * h(0) / h(1);
      below = 0.0;
    }
    if (i == last) {
      diagonal[i] += h(i) * (1.0 + h(i) / h(i - 1));
      below -= h(i) * h(i) / h(i - 1);
      above[i] = 0.0;
    }
    if (i > 1) {
      const double factor = below / diagonal[i - 1];
      diagonal[i] -= factor * above[i - 1];
      right[i] -= factor * right[i - 1];
    }
  }
  for (std::size_t i = last; i > 0; --i) M[i] = (right[i] - above[i] * M[i + 1]) / diagonal[i];
  M[0] = M[1] + (M[1] - M[2]) * h(0) / h(1);
  M[n - 1] = M[last] + (M[last] - M[last - 1]) * h(last) / h(last - 1);
  return M;
}

// a + d (b + d (c + d e)) with d from the point before.
NodeId spline(Graph& graph, const DataTable& table, NodeId x) {
  const std::vector<double>&at = table.at, &y = table.value;
  const std::vector<double> M = bends(at, y);
  std::vector<double> from, a, b, c, e;
  for (std::size_t i = 0; i + 1 < at.size(); ++i) {
    const double h = at[i + 1] - at[i];
    from.push_back(at[i]);
    a.push_back(y[i]);
    b.push_back((y[i + 1] - y[i]) / h - h * (2.0 * M[i] + M[i + 1]) / 6.0);
    c.push_back(0.5 * M[i]);
    e.push_back((M[i + 1] - M[i]) / (6.0 * h));
  }
  const NodeId d = graph.sub(x, held(graph, at, from, x));
  NodeId sum = held(graph, at, e, x);
  for (const std::vector<double>* const next : {&c, &b, &a})
    sum = graph.add(held(graph, at, *next, x), graph.mul(d, sum));
  return sum;
}

}  // namespace

std::shared_ptr<const DataTable> read_data(const Source& source, const DataText& text) {
  const std::filesystem::path file = std::filesystem::path(source.file()).parent_path() / text.file;
  const std::string shown = file.string();
  const files::FileText read = files::read_text(shown, files::kLargestTable);
  if (!read.fault.empty())
    source.fail(text.offset,
                text.what + ": `" + shown + "` " + read.fault + (read.is_folder ? ", not a CSV file" : ""));
  auto table = std::make_shared<DataTable>();
  table->what = text.what;
  table->how = text.how;
  table->refuses = text.refuses;
  DataReader(source, text, shown, read.text).read(*table);
  return table;
}

NodeId interpolated(Graph& graph, const DataTable& table, NodeId x) {
  if (table.at.size() == 1) return graph.constant(table.value[0]);
  switch (table.how) {
    case Interpolate::linear: {
      std::vector<double> points = table.at;
      points.insert(points.end(), table.value.begin(), table.value.end());
      return graph.lookup(graph.add_table(std::move(points)), x);
    }
    case Interpolate::hold: return held(graph, table.at, table.value, x);
    case Interpolate::cubic: break;
  }
  if (!table.refuses) {  // beyond the ends it is constant
    x = graph.binary(Op::max, x, graph.constant(table.at.front()));
    x = graph.binary(Op::min, x, graph.constant(table.at.back()));
  }
  return spline(graph, table, x);
}

}  // namespace rattleback::front
