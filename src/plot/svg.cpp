#include "plot/svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "plot/map.hpp"
#include "plot/palette.hpp"
#include "plot/scale.hpp"
#include "plot/svg_text.hpp"
#include "plot/ticks.hpp"

namespace rattleback::plot {

std::vector<std::pair<double, double>> thinned(const std::vector<double>& x, const std::vector<double>& y, int pixels) {
  const std::size_t n = std::min(x.size(), y.size());
  std::vector<std::pair<double, double>> out;
  if (n <= 4 * static_cast<std::size_t>(std::max(1, pixels))) {
    for (std::size_t i = 0; i < n; ++i) out.emplace_back(x[i], y[i]);
    return out;
  }
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t i = 0; i < n; ++i)
    if (std::isfinite(x[i])) {
      low = std::fmin(low, x[i]);
      high = std::fmax(high, x[i]);
    }
  const double scale = high > low ? pixels / (high - low) : 0.0;
  for (std::size_t i = 0; i < n;) {
    const double column = std::floor((x[i] - low) * scale);
    std::size_t end = i, lowest = i, highest = i;
    for (; end < n && std::floor((x[end] - low) * scale) == column; ++end) {
      if (y[end] < y[lowest]) lowest = end;
      if (y[end] > y[highest]) highest = end;
    }
    if (end == i) end = i + 1;  // x is not a number
    std::size_t kept[] = {i, lowest, highest, end - 1};
    std::sort(std::begin(kept), std::end(kept));
    for (std::size_t k = 0; k < 4; ++k)
      if (k == 0 || kept[k] != kept[k - 1]) out.emplace_back(x[kept[k]], y[kept[k]]);
    i = end;
  }
  return out;
}

namespace {

constexpr double kWidth = 720.0, kHeight = 440.0;  // of a panel that is alone
constexpr double kLeft = 78.0, kRight = 16.0, kTop = 34.0, kBottom = 52.0;
constexpr double kLegendLine = 17.0, kTopOfStrip = 6.0;
constexpr int kColours = static_cast<int>(kLight.size());

// Behind the last colour the first comes again, with other dashes and other marks. "5 4" is Style::dashed.
constexpr std::array kDashes = {"", "10 3", "2 3", "10 3 2 3"};
std::string dashes_of(int number, Series::Style style) {
  const char* const dashes =
      style == Series::Style::dashed ? "5 4" : kDashes[static_cast<std::size_t>(number / kColours) % kDashes.size()];
  return *dashes == 0 ? "" : fmt::format(" stroke-dasharray=\"{}\"", dashes);
}

// What the data need, with some room around them.
Range range_of(const Panel& panel, bool horizontal) {
  if (panel.map) return map_range(*panel.map, horizontal);
  const Axis& axis = horizontal ? panel.x : panel.y;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Series& s : panel.series)
    for (const double value : horizontal ? s.x : s.y) {
      if (!std::isfinite(value) || (axis.logarithmic && !(value > 0.0))) continue;
      low = std::fmin(low, value);
      high = std::fmax(high, value);
    }
  if (!(low <= high)) return axis.logarithmic ? Range{0.1, 10.0} : Range{0.0, 1.0};
  if (axis.logarithmic) {
    if (high / low < 1.5) return {low / 3.0, high * 3.0};
    const double room = std::pow(high / low, horizontal ? 0.02 : 0.06);
    return {low / room, high * room};
  }
  if (high - low <= 1e-12 * std::fmax(std::fabs(low), std::fabs(high))) {
    const double room = low == 0.0 ? 1.0 : 0.1 * std::fabs(low);
    return {low - room, high + room};
  }
  const double room = (horizontal ? 0.0 : 0.06) * (high - low);
  return {low - room, high + room};
}

class Drawing {
 public:
  Drawing(const Figure& figure, Page page) : figure_(figure), page_(page) {}

  std::string whole() {
    const int columns = std::clamp(figure_.columns, 1, std::max(1, static_cast<int>(figure_.panels.size())));
    const int rows = (static_cast<int>(figure_.panels.size()) + columns - 1) / columns;
    const double width = columns == 1 ? kWidth : 480.0, height = columns == 1 && rows == 1 ? kHeight : 330.0;
    const double head = figure_.title.empty() ? 0.0 : 30.0;
    const std::vector<std::string> caption = wrapped(figure_.caption, static_cast<std::size_t>(width * columns / 6.4));
    const double foot = caption.empty() ? 0.0 : 14.0 + 17.0 * static_cast<double>(caption.size());
    std::vector<double> tops = {head};  // of the rows of panels; the last one ends where the caption begins
    for (int row = 0; row < rows; ++row) tops.push_back(tops.back() + height * height_of(row, columns));
    const double w = width * columns, h = tops.back() + foot;
    text_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" "
        "role=\"img\" aria-label=\"{2}\">\n<title>{2}</title>\n",
        w, h, escaped(figure_.title.empty() ? "figure" : figure_.title));
    if (!figure_.caption.empty()) text_ += "<desc>" + escaped(figure_.caption) + "</desc>\n";
    style();
    if (!figure_.title.empty()) {
      const double size = std::fmin(15.0, w / (0.66 * static_cast<double>(figure_.title.size())));  // so that it fits
      text_ += text_at(w / 2, 21.0, "middle", fmt::format(" class=\"head\" style=\"font-size: {:.1f}px\"", size),
                       figure_.title);
    }
    for (std::size_t i = 0; i < figure_.panels.size(); ++i) {
      const int number = static_cast<int>(i), column = number % columns, row = number / columns;
      const double top = tops[static_cast<std::size_t>(row)];
      panel(figure_.panels[i], column * width, top, width, tops[static_cast<std::size_t>(row) + 1] - top, number);
    }
    double y = tops.back() + 16.0;
    for (const std::string& line : caption) {
      text_ += text_at(kLeft / 2, y, "start", " class=\"small\"", line);
      y += 17.0;
    }
    return text_ + "</svg>\n";
  }

 private:
  void style() {
    const auto colours = [this](const auto& palette) {
      for (int i = 0; i < kColours; ++i)
        text_ +=
            fmt::format(".s{0} {{ stroke: {1}; }} .p{0} {{ fill: {1}; }}\n", i, palette[static_cast<std::size_t>(i)]);
    };
    text_ +=
        "<style>\n"
        "svg { font: 13px system-ui, sans-serif; background: #ffffff; }\n"
        "text { fill: #1f2328; } .small { font-size: 12px; } .head { font-size: 15px; font-weight: 600; }\n"
        ".frame { fill: none; stroke: #8c959f; } .grid { stroke: #d0d7de; stroke-width: 0.6; }\n"
        ".marked { fill: #8c959f; fill-opacity: 0.35; }\n"
        ".curve { fill: none; stroke-width: 1.5; stroke-linejoin: round; }\n";
    colours(kLight);
    if (page_ == Page::as_reader) {
      text_ +=
          "@media (prefers-color-scheme: dark) {\n"
          "svg { background: #0d1117; } text { fill: #e6edf3; } .frame { stroke: #6e7681; } .grid { stroke: #30363d; "
          "}\n";
      colours(kDark);
      text_ += "}\n";
    }
    text_ += "</style>\n";
  }

  // Of the highest panel of a row.
  [[nodiscard]] double height_of(int row, int columns) const {
    double highest = 0.0;
    const auto begin = static_cast<std::size_t>(row) * static_cast<std::size_t>(columns);
    for (std::size_t i = begin; i < std::min(begin + static_cast<std::size_t>(columns), figure_.panels.size()); ++i)
      highest = std::fmax(highest, figure_.panels[i].height);
    return highest;
  }

  static std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
    std::vector<std::string> lines;
    std::string line, word;
    const auto flush = [&] {
      if (word.empty()) return;
      if (!line.empty() && line.size() + 1 + word.size() > width) {
        lines.push_back(line);
        line.clear();
      }
      line += (line.empty() ? "" : " ") + word;
      word.clear();
    };
    for (const char c : text) {
      if (c == ' ' || c == '\n')
        flush();
      else
        word += c;
    }
    flush();
    if (!line.empty()) lines.push_back(line);
    return lines;
  }

  void panel(const Panel& p, double left, double top, double width, double height, int number) {
    std::size_t named = 0, longest = 0;
    for (const Series& s : p.series) {
      named += s.label.empty() ? 0 : 1;
      longest = std::max(longest, s.label.size());
    }
    const bool legend = named > 1;
    const double entry = 50.0 + 6.6 * static_cast<double>(longest);
    // The legend stands below the title, in as many rows as it needs.
    const double per_row = std::max(1.0, std::floor((width - kLeft - kRight) / entry));
    const double rows = legend ? std::ceil(static_cast<double>(named) / per_row) : 0.0;
    double x0 = left + kLeft, x1 = left + width - kRight - (p.bar ? kBarRoom : 0.0), y0 = top + height - kBottom,
           y1 = top + (p.height < 1.0 && p.title.empty() ? kTopOfStrip : kTop) + rows * kLegendLine;
    Range xr = range_of(p, true), yr = range_of(p, false);
    if (p.same_scale && !p.x.logarithmic && !p.y.logarithmic) {
      const double unit = std::fmin((x1 - x0) / (xr.high - xr.low), (y0 - y1) / (yr.high - yr.low));
      const auto widen = [unit](Range& r, double pixels) {
        const double middle = (r.low + r.high) / 2, half = pixels / unit / 2;
        r = {middle - half, middle + half};
      };
      widen(xr, x1 - x0);
      widen(yr, y0 - y1);
    }
    const Scale X(xr, p.x.logarithmic, x0, x1), Y(yr, p.y.logarithmic, y0, y1);
    text_ += fmt::format("<g class=\"panel\" data-panel=\"{}\">\n", number);
    if (!p.title.empty()) text_ += text_at((x0 + x1) / 2, top + 22.0, "middle", "", p.title);
    if (p.marked.first != p.marked.second)
      text_ += fmt::format("<rect class=\"marked\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
                           std::fmin(X(p.marked.first), X(p.marked.second)), y1,
                           std::fmax(2.0, std::fabs(X(p.marked.second) - X(p.marked.first))), y0 - y1);
    for (const Tick& t : X.ticks(static_cast<int>((x1 - x0) / 80.0))) {
      text_ += fmt::format("<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>\n",
                           X(t.at), y0, y1);
      if (!t.text.empty()) text_ += text_at(X(t.at), y0 + 17.0, "middle", " class=\"small\"", t.text);
    }
    for (const Tick& t : Y.ticks(static_cast<int>((y0 - y1) / 45.0))) {
      text_ += fmt::format("<line class=\"grid\" x1=\"{1:.1f}\" x2=\"{2:.1f}\" y1=\"{0:.1f}\" y2=\"{0:.1f}\"/>\n",
                           Y(t.at), x0, x1);
      if (!t.text.empty()) text_ += text_at(x0 - 7.0, Y(t.at) + 4.0, "end", " class=\"small\"", t.text);
    }
    text_ += fmt::format("<rect class=\"frame\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n", x0,
                         y1, x1 - x0, y0 - y1);
    text_ += text_at((x0 + x1) / 2, y0 + 38.0, "middle", "", p.x.label);
    const double middle = (y0 + y1) / 2, side = left + 17.0;
    text_ += text_at(side, middle, "middle", fmt::format(" transform=\"rotate(-90 {:.1f} {:.1f})\"", side, middle),
                     p.y.label);
    text_ += fmt::format(
        "<clipPath id=\"c{0}\"><rect x=\"{1:.1f}\" y=\"{2:.1f}\" width=\"{3:.1f}\" height=\"{4:.1f}\"/></clipPath>\n"
        "<g clip-path=\"url(#c{0})\">\n",
        number, x0 - 4, y1 - 4, x1 - x0 + 8, y0 - y1 + 8);
    if (p.map && p.bar) text_ += map_cells(*p.map, *p.bar, X, Y);
    int next = 0;
    std::vector<int> numbers;  // colour, and beyond the last one dashes and marks
    for (const Series& s : p.series) {
      numbers.push_back(s.colour >= 0 ? s.colour : next++);
      if (p.bar && !s.shade.empty())
        shaded(s, *p.bar, X, Y, static_cast<int>(x1 - x0));
      else
        curve(s, X, Y, numbers.back(), static_cast<int>(x1 - x0));
    }
    text_ += "</g>\n";
    if (p.bar) text_ += drawn_bar(*p.bar, x1 + 14.0, y1, y0);
    if (legend) entries(p, numbers, x0, top + kTop, per_row, entry);
    text_ += "</g>\n";
  }

  void entries(const Panel& p, const std::vector<int>& numbers, double x0, double top, double per_row, double width) {
    int place = 0;
    for (std::size_t i = 0; i < p.series.size(); ++i) {
      const Series& s = p.series[i];
      if (s.label.empty()) continue;
      const int column = place % static_cast<int>(per_row), row = place / static_cast<int>(per_row);
      const double x = x0 + width * column, y = top + kLegendLine * row + 4.0;
      if (s.style != Series::Style::points)
        text_ += fmt::format("<line class=\"curve s{}\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"{}/>\n",
                             numbers[i] % kColours, x, x + 22, y, y, dashes_of(numbers[i], s.style));
      if (s.style == Series::Style::points || s.style == Series::Style::line_and_points) mark(numbers[i], x + 11, y);
      text_ += text_at(x + 26, y + 4.0, "start", " class=\"small\"", s.label);
      ++place;
    }
  }

  // Gaps where a value cannot be shown.
  static std::string path_of(const std::vector<std::pair<double, double>>& points, const Scale& X, const Scale& Y) {
    std::string path;
    bool down = false;
    for (const auto& [x, y] : points) {
      if (!X.shows(x) || !Y.shows(y)) {
        down = false;
        continue;
      }
      path += fmt::format("{}{:.2f} {:.2f}", down ? "L" : "M", X(x), Y(y));
      down = true;
    }
    return path;
  }

  // A series in the colours of a bar: one for all of it, or each point in its own.
  void shaded(const Series& s, const ColourBar& bar, const Scale& X, const Scale& Y, int pixels) {
    if (s.style != Series::Style::points)
      if (const std::string path = path_of(thinned(s.x, s.y, pixels), X, Y); !path.empty())
        text_ +=
            fmt::format("<path class=\"curve\" style=\"stroke: {}\" d=\"{}\"/>\n", shade_of(bar, s.shade[0]), path);
    if (s.style == Series::Style::line || s.style == Series::Style::dashed) return;
    for (std::size_t i = 0; i < std::min(s.x.size(), s.y.size()); ++i)
      if (X.shows(s.x[i]) && Y.shows(s.y[i]))
        text_ += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"3\" fill=\"{}\"/>\n", X(s.x[i]), Y(s.y[i]),
                             shade_of(bar, s.shade[std::min(i, s.shade.size() - 1)]));
  }

  void curve(const Series& s, const Scale& X, const Scale& Y, int number, int pixels) {
    using Style = Series::Style;
    const auto points = s.style == Style::points ? all(s) : thinned(s.x, s.y, pixels);
    if (s.style != Style::points) {
      const std::string path = path_of(points, X, Y);
      if (!path.empty())
        text_ += fmt::format("<path class=\"curve s{}\" d=\"{}\"{}/>\n", number % kColours, path,
                             dashes_of(number, s.style));
    }
    if (s.style == Style::line || s.style == Style::dashed) return;
    if (points.size() > 200) {
      dots(points, X, Y, number % kColours);
      return;
    }
    for (const auto& [x, y] : points)
      if (X.shows(x) && Y.shows(y)) mark(number, X(x), Y(y));
  }

  // A disc; with the first colours used up a square, a triangle, a diamond.
  void mark(int number, double x, double y) {
    const int colour = number % kColours;
    switch (number / kColours % 4) {
      case 0:
        text_ += fmt::format("<circle class=\"p{}\" cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"3\"/>\n", colour, x, y);
        return;
      case 1:
        text_ += fmt::format("<rect class=\"p{}\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"6\" height=\"6\"/>\n", colour,
                             x - 3, y - 3);
        return;
      case 2: text_ += fmt::format("<path class=\"p{}\" d=\"M{:.2f} {:.2f}l4 7h-8z\"/>\n", colour, x, y - 4); return;
      default: text_ += fmt::format("<path class=\"p{}\" d=\"M{:.2f} {:.2f}l4 4l-4 4l-4 -4z\"/>\n", colour, x, y - 4);
    }
  }

  // Many points: one path of dots, and of those that fall on the same spot only the first.
  void dots(const std::vector<std::pair<double, double>>& points, const Scale& X, const Scale& Y, int colour) {
    constexpr double kSpot = 0.5;  // pixels
    std::set<std::pair<long, long>> taken;
    std::string path;
    for (const auto& [x, y] : points) {
      if (!X.shows(x) || !Y.shows(y)) continue;
      if (!taken.emplace(std::lround(X(x) / kSpot), std::lround(Y(y) / kSpot)).second) continue;
      path += fmt::format("M{:.1f} {:.1f}h0", X(x), Y(y));
    }
    if (!path.empty())
      text_ += fmt::format("<path class=\"curve s{}\" style=\"stroke-width: {}; stroke-linecap: round\" d=\"{}\"/>\n",
                           colour, points.size() > 2000 ? 1.6 : 2.6, path);
  }

  static std::vector<std::pair<double, double>> all(const Series& s) {
    std::vector<std::pair<double, double>> out;
    for (std::size_t i = 0; i < std::min(s.x.size(), s.y.size()); ++i) out.emplace_back(s.x[i], s.y[i]);
    return out;
  }

  const Figure& figure_;
  Page page_;
  std::string text_;
};

}  // namespace

std::string to_svg(const Figure& figure, Page page) { return Drawing(figure, page).whole(); }

}  // namespace rattleback::plot
