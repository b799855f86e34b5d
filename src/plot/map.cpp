#include "plot/map.hpp"

#include <cmath>

#include <fmt/format.h>

#include "plot/colours.hpp"
#include "plot/svg_text.hpp"

namespace rattleback::plot {
namespace {

// Edges of cells around these middles, which ascend.
std::vector<double> edges(const std::vector<double>& middles) {
  const std::size_t n = middles.size();
  if (n == 0) return {0.0, 1.0};
  if (n == 1) return {middles[0] - 0.5, middles[0] + 0.5};
  std::vector<double> out = {middles[0] - 0.5 * (middles[1] - middles[0])};
  for (std::size_t i = 0; i + 1 < n; ++i) out.push_back(0.5 * (middles[i] + middles[i + 1]));
  out.push_back(middles[n - 1] + 0.5 * (middles[n - 1] - middles[n - 2]));
  return out;
}

// What the bar shows: where all values are one, some room around it.
Range range_of(const ColourBar& bar) {
  if (!std::isfinite(bar.low) || !std::isfinite(bar.high)) return {bar.logarithmic ? 0.1 : 0.0, 1.0};
  if (bar.high > bar.low) return {bar.low, bar.high};
  if (bar.logarithmic) return {bar.low / 3.0, bar.high * 3.0};
  const double room = bar.low == 0.0 ? 1.0 : 0.1 * std::fabs(bar.low);
  return {bar.low - room, bar.high + room};
}

}  // namespace

std::string shade_of(const ColourBar& bar, double value) {
  const Scale part(range_of(bar), bar.logarithmic, 0.0, 1.0);
  return part.shows(value) ? shade(part(value)) : kNoShade;
}

Range map_range(const Map& map, bool horizontal) {
  const std::vector<double> e = edges(horizontal ? map.x : map.y);
  return {e.front(), e.back()};
}

std::string map_cells(const Map& map, const ColourBar& bar, const Scale& X, const Scale& Y) {
  const std::vector<double> x = edges(map.x), y = edges(map.y);
  std::string out = "<g shape-rendering=\"crispEdges\">\n";
  for (std::size_t row = 0; row < map.y.size(); ++row)
    for (std::size_t column = 0; column < map.x.size(); ++column)
      out += fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>\n",
                         X(x[column]), Y(y[row + 1]), X(x[column + 1]) - X(x[column]), Y(y[row]) - Y(y[row + 1]),
                         shade_of(bar, map.values[row * map.x.size() + column]));
  return out + "</g>\n";
}

std::string drawn_bar(const ColourBar& bar, double left, double top, double bottom) {
  constexpr double kWidth = 14.0;
  constexpr int kSteps = 100;
  const Scale Y(range_of(bar), bar.logarithmic, bottom, top);
  std::string out = "<g class=\"bar\">\n<g shape-rendering=\"crispEdges\">\n";
  const double step = (bottom - top) / kSteps;
  for (int i = 0; i < kSteps; ++i)
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.2f}\" width=\"{:.1f}\" height=\"{:.2f}\" fill=\"{}\"/>\n", left,
                       bottom - step * (i + 1), kWidth, step, shade((i + 0.5) / kSteps));
  out += fmt::format("</g>\n<rect class=\"frame\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
                     left, top, kWidth, bottom - top);
  for (const Tick& t : Y.ticks(static_cast<int>((bottom - top) / 45.0))) {
    if (t.text.empty()) continue;
    out += fmt::format("<line class=\"frame\" x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>\n",
                       left + kWidth, left + kWidth + 4.0, Y(t.at));
    out += text_at(left + kWidth + 7.0, Y(t.at) + 4.0, "start", " class=\"small\"", t.text);
  }
  const double side = left + kBarRoom - 24.0, middle = (top + bottom) / 2.0;
  out +=
      text_at(side, middle, "middle", fmt::format(" transform=\"rotate(-90 {:.1f} {:.1f})\"", side, middle), bar.label);
  return out + "</g>\n";
}

}  // namespace rattleback::plot
