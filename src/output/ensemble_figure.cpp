// The figure of an ensemble: outputs at the end over what varies, a map where two names vary on a grid, a distribution of random
// starts, or members over time.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "output/figures.hpp"
#include "output/lists.hpp"
#include "output/members.hpp"

namespace rattleback::report {
namespace {

using plot::Figure;
using plot::Panel;
using plot::Series;

constexpr std::size_t kMostPanels = 8;

// A number of each member that is drawn; nan for members that stopped early.
struct Drawn {
  std::string name;
  bool logarithmic = false;
  std::vector<double> values;
};

std::vector<double> column_of(const EnsembleReport& r, const Block& block, std::size_t k, bool at_end) {
  std::vector<double> out;
  for (std::size_t i = 0; i < r.members.size(); ++i)
    out.push_back(at_end && r.members[i].status != Status::done ? std::nan("")
                                                                : block.values[i * block.columns.size() + k]);
  return out;
}

// The outputs; without any the positions or states at the end, and what became of the energy.
std::vector<Drawn> drawn(const Model& model, const EnsembleReport& r) {
  std::vector<Drawn> out;
  const std::vector<Block> blocks = member_blocks(model, r, true);
  const bool outputs = !r.output_names.empty();
  const std::string energy = energy_key(model, r);
  for (const Block& block : blocks) {
    const bool positions = !model.coordinates.empty() && block.columns[0] == model.coordinates[0];
    if (block.dataset == "outputs" ? outputs : positions && !outputs)
      for (std::size_t k = 0; k < block.columns.size() && out.size() + 1 < kMostPanels; ++k)
        out.push_back({block.columns[k], false, column_of(r, block, k, true)});
    if (block.dataset == energy && !outputs)
      out.push_back({energy == "energy_error" ? "largest |E - E0|" : "largest change |E - E0|",
                     energy == "energy_error", column_of(r, block, 0, true)});
  }
  return out;
}

// What varies, by name, of each member; without names its number.
std::vector<double> varied(const EnsembleReport& r, std::size_t name) {
  std::vector<double> out;
  for (std::size_t i = 0; i < r.members.size(); ++i)
    out.push_back(r.names.empty() ? static_cast<double>(i) : r.members[i].values[name]);
  return out;
}

std::string label_of(const EnsembleReport& r, std::size_t name) { return r.names.empty() ? "member" : r.columns[name]; }

plot::ColourBar bar_of(const std::string& label, const std::vector<double>& values, bool logarithmic = false) {
  plot::ColourBar bar{.label = label, .logarithmic = logarithmic};
  bar.low = std::nan("");
  bar.high = std::nan("");
  for (const double x : values)
    if (std::isfinite(x) && (!logarithmic || x > 0.0)) {
      bar.low = std::fmin(bar.low, x);
      bar.high = std::fmax(bar.high, x);
    }
  return bar;
}

std::vector<std::size_t> in_order(const std::vector<double>& x) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  return order;
}

// Outputs over the first name that varies; others that vary colour the points.
Panel over_value(const EnsembleReport& r, const Drawn& d) {
  Panel p{.x = {.label = label_of(r, 0)}, .y = {.label = d.name, .logarithmic = d.logarithmic}};
  const std::vector<double> x = varied(r, 0);
  const bool coloured = r.names.size() > 1, curve = !r.grid.empty() && !coloured;
  Series s{.style =
               curve ? (x.size() > 60 ? Series::Style::line : Series::Style::line_and_points) : Series::Style::points};
  const std::vector<double> second = coloured ? varied(r, 1) : std::vector<double>{};
  for (const std::size_t i : in_order(x)) {
    s.x.push_back(x[i]);
    s.y.push_back(d.values[i]);
    if (coloured) s.shade.push_back(second[i]);
  }
  if (coloured) p.bar = bar_of(label_of(r, 1), second);
  p.series.push_back(std::move(s));
  return p;
}

// Two names on a grid, of which the second changes fastest.
Panel map_of(const EnsembleReport& r, const Drawn& d) {
  const std::size_t nx = r.grid[0], ny = r.grid[1];
  Panel p{.x = {.label = label_of(r, 0)}, .y = {.label = label_of(r, 1)}};
  std::vector<double> x, y;
  for (std::size_t i = 0; i < nx; ++i) x.push_back(r.members[i * ny].values[0]);
  for (std::size_t k = 0; k < ny; ++k) y.push_back(r.members[k].values[1]);
  const std::vector<std::size_t> columns = in_order(x), rows = in_order(y);
  plot::Map map;
  for (const std::size_t i : columns) map.x.push_back(x[i]);
  for (const std::size_t k : rows) map.y.push_back(y[k]);
  for (const std::size_t k : rows)
    for (const std::size_t i : columns) map.values.push_back(d.values[i * ny + k]);
  p.bar = bar_of(d.name, d.values, d.logarithmic);
  p.map = std::move(map);
  return p;
}

// How often values were found: the area below the line is 1.
Panel histogram(const Drawn& d) {
  std::vector<double> values;
  for (const double x : d.values)
    if (std::isfinite(x) && (!d.logarithmic || x > 0.0)) values.push_back(d.logarithmic ? std::log10(x) : x);
  Panel p{.x = {.label = d.name, .logarithmic = d.logarithmic}, .y = {.label = "members"}};
  Series s;
  if (!values.empty()) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const auto bins = static_cast<std::size_t>(std::clamp(std::sqrt(static_cast<double>(values.size())), 5.0, 60.0));
    const double from = *low, width = *high > *low ? (*high - *low) / static_cast<double>(bins) : 1.0;
    std::vector<double> counts(bins, 0.0);
    for (const double x : values) counts[std::min(bins - 1, static_cast<std::size_t>((x - from) / width))] += 1.0;
    const auto add = [&](double x, double y) {
      s.x.push_back(d.logarithmic ? std::pow(10.0, x) : x);
      s.y.push_back(y);
    };
    add(from, 0.0);
    for (std::size_t b = 0; b < bins; ++b) {
      add(from + width * static_cast<double>(b), counts[b]);
      add(from + width * static_cast<double>(b + 1), counts[b]);
    }
    add(from + width * static_cast<double>(bins), 0.0);
  }
  p.series.push_back(std::move(s));
  return p;
}

// Two lists with different values each make a map.
bool is_map(const EnsembleReport& r) {
  if (r.grid.size() != 2 || r.grid[0] < 2 || r.grid[1] < 2 || r.members.size() != r.grid[0] * r.grid[1]) return false;
  const auto differ = [&](std::size_t count, std::size_t step, std::size_t name) {
    std::vector<double> x;
    for (std::size_t i = 0; i < count; ++i) x.push_back(r.members[i * step].values[name]);
    std::sort(x.begin(), x.end());
    return std::adjacent_find(x.begin(), x.end()) == x.end();
  };
  return differ(r.grid[0], r.grid[1], 0) && differ(r.grid[1], 1, 1);
}

std::vector<Panel> over_time(const EnsembleReport& r, const MemberCurves& curves) {
  std::vector<Panel> out;
  const std::vector<double> shades = varied(r, 0);
  for (std::size_t k = 0; k < curves.names().size(); ++k) {
    Panel p{.x = {.label = "t"}, .y = {.label = curves.names()[k]}};
    for (const MemberCurves::Curve& curve : curves.curves()) {
      if (curve.member >= shades.size()) continue;
      Series s{.shade = {shades[curve.member]}};
      for (const auto& [t, y] : curve.points[k]) {
        s.x.push_back(t);
        s.y.push_back(y);
      }
      p.series.push_back(std::move(s));
    }
    p.bar = bar_of(label_of(r, 0), shades);
    out.push_back(std::move(p));
  }
  return out;
}

}  // namespace

Figure figure_of(const Model& model, const EnsembleReport& r, const MemberCurves* curves) {
  std::string caption = fmt::format("{} members with {}, h = {:g}, to t = {}.", r.members.size(),
                                    method_label(r.method, r.stages), r.step, ends_text(r));
  if (!r.failed.empty()) caption += fmt::format(" {} stopped early and are left out.", r.failed.size());
  if (const std::string why = why_not_kept(model, r); !why.empty()) caption += " " + why + ".";
  Figure f{.title = fmt::format("{}: {}", model.name.empty() ? model.key : model.name,
                                curves != nullptr ? "members over time" : "at the end of each member"),
           .caption = {},
           .panels = {}};
  if (curves != nullptr) {
    f.panels = over_time(r, *curves);
    if (curves->curves().size() < r.members.size())
      caption += fmt::format(" {} of them are drawn.", curves->curves().size());
  } else {
    for (const Drawn& d : drawn(model, r))
      f.panels.push_back(is_map(r) ? map_of(r, d) : r.origin == "--energy" ? histogram(d) : over_value(r, d));
  }
  f.columns = f.panels.size() > 3 ? 2 : 1;
  f.caption = std::move(caption);
  return f;
}

}  // namespace rattleback::report
