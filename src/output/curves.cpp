#include "output/curves.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "output/long_run.hpp"

namespace rattleback::report {

plot::Series curve(const Line& line) {
  constexpr std::size_t kAll = 200'000, kShown = 40'000;
  plot::Series s{.label = line.label, .colour = line.colour};
  const std::size_t rows = line.t.size();
  for (const std::size_t i : shown_rows(std::span(&line.values, 1), rows, rows > kAll ? kShown : kAll)) {
    s.x.push_back(line.t[i]);
    s.y.push_back(line.values[i]);
  }
  return s;
}

plot::Series envelope(const Line& line, double offset) {
  constexpr std::size_t kPieces = 360;
  constexpr double kLeast = 1e-17;
  const std::size_t n = line.t.size(), piece = std::max<std::size_t>(1, n / kPieces);
  plot::Series s{.label = line.label, .colour = line.colour};
  for (std::size_t i = 0; i < n; i += piece) {
    double largest = kLeast;
    for (std::size_t k = i; k < std::min(n, i + piece); ++k)
      largest = std::fmax(largest, std::fabs(line.values[k] - offset));
    s.x.push_back(line.t[i]);
    s.y.push_back(largest);
  }
  if (n > 1 && s.x.back() != line.t[n - 1]) {  // up to the end of the run
    s.x.push_back(line.t[n - 1]);
    s.y.push_back(s.y.back());
  }
  return s;
}

double window_of(const std::vector<Line>& lines) {
  double shortest = 0.0;
  for (const Line& line : lines) {
    const std::size_t rows = first_window(std::span(&line.values, 1), line.t.size());
    if (rows == 0) continue;
    const double length = std::fabs(line.t[rows - 1] - line.t[0]);
    shortest = shortest == 0.0 ? length : std::fmin(shortest, length);
  }
  return shortest;
}

void add_curves(plot::Figure& figure, plot::Panel panel, const std::vector<Line>& lines, double window) {
  constexpr double kStrip = 0.36;  // of the height of a panel
  plot::Panel strip{.x = panel.x, .height = kStrip};
  for (const Line& line : lines) {
    Line first = line;
    if (window > 0.0 && !line.t.empty()) {
      const auto inside = [&](double t) { return std::fabs(t - line.t[0]) <= window; };
      first.t = line.t.first(static_cast<std::size_t>(std::ranges::partition_point(line.t, inside) - line.t.begin()));
      strip.series.push_back(curve({"", line.t, line.values, line.colour}));
      strip.marked = {line.t[0], first.t.back()};
    }
    panel.series.push_back(curve(first));
  }
  figure.panels.push_back(std::move(panel));
  if (!strip.series.empty()) figure.panels.push_back(std::move(strip));
}

}  // namespace rattleback::report
