#include "output/long_run.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace rattleback::report {
namespace {

constexpr std::size_t kLegible = 40;      // oscillations in one plot
constexpr std::size_t kInWindow = 12;     // of the window
constexpr double kNoticed = 0.05;         // of the range of a column: what a turn must go back at least
constexpr std::size_t kLeastRows = 1000;  // shorter runs show all

struct Turns {
  std::size_t count = 0;  // in the whole run
  std::size_t until = 0;  // the row at which the window is full
};

// Where a column turns around; wiggles that nobody would see do not count.
Turns turns_of(const Column& column, std::size_t rows) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t i = 0; i < rows; ++i) {
    low = std::fmin(low, column[i]);
    high = std::fmax(high, column[i]);
  }
  const double back = kNoticed * (high - low);
  if (!(back > 1e-9 * std::fmax(std::fabs(low), std::fabs(high))) || !std::isfinite(back)) return {};
  Turns turns;
  double least = column[0], most = column[0];  // since the last turn
  int way = 0;
  for (std::size_t i = 1; i < rows; ++i) {
    const double x = column[i];
    least = std::fmin(least, x);
    most = std::fmax(most, x);
    const int now = way <= 0 && x > least + back ? 1 : way >= 0 && x < most - back ? -1 : way;
    if (now == way) continue;
    if (way != 0 && ++turns.count == 2 * kInWindow) turns.until = i;
    way = now;
    least = most = x;
  }
  return turns;
}

}  // namespace

std::size_t first_window(std::span<const Column> columns, std::size_t rows) {
  if (rows < kLeastRows) return 0;
  Turns fastest;
  for (const Column& column : columns)
    if (const Turns turns = turns_of(column, rows); turns.count > fastest.count) fastest = turns;
  return fastest.count > 2 * kLegible ? fastest.until + 1 : 0;
}

std::vector<std::size_t> shown_rows_with(std::size_t window, std::span<const Column> columns, std::size_t rows,
                                         std::size_t most) {
  if (window == 0 || rows <= most) return shown_rows(columns, rows, most);
  const std::vector<std::size_t> first = shown_rows(columns, window, most / 2),
                                 all = shown_rows(columns, rows, most - first.size());
  std::vector<std::size_t> out;
  std::ranges::set_union(first, all, std::back_inserter(out));
  return out;
}

}  // namespace rattleback::report
