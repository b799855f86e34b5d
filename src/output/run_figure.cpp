// The figure of a run: its motion, or the columns that were asked for, then what was kept.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>

#include <fmt/format.h>

#include "audit/energy_balance.hpp"
#include "model/grammar/suggest.hpp"
#include "model/kind_facts.hpp"
#include "model/units.hpp"
#include "output/columns.hpp"
#include "output/curves.hpp"
#include "output/figures.hpp"
#include "rattleback/error.hpp"
#include "run/plot_columns.hpp"
#include "run/quantities.hpp"

namespace rattleback::report {
namespace {

using plot::Figure;
using plot::Panel;

constexpr std::size_t kMostCurves = 8;

// The name of the only line, and the unit that all of them have.
std::string label_of(const Model& model, const std::vector<Line>& lines) {
  if (lines.size() == 1) return with_unit(model, lines[0].label);
  const std::string unit = lines.empty() ? "" : unit_of(model, lines[0].label);
  const bool common = std::ranges::all_of(lines, [&](const Line& line) { return unit_of(model, line.label) == unit; });
  return unit.empty() || !common ? "" : fmt::format("({})", unit);
}
constexpr double kLikeSize = 10.0;  // a curve that is ten times smaller than another is flat beside it

// --- without Options::plot_columns

double size_of(const Line& line) {
  double largest = 0.0;
  for (std::size_t i = 0; i < line.t.size(); ++i)
    if (std::isfinite(line.values[i])) largest = std::fmax(largest, std::fabs(line.values[i]));
  return largest;
}

// In the order of the first of each group. What is zero all the time is flat anywhere.
std::vector<std::vector<Line>> by_size(const std::vector<Line>& lines) {
  std::vector<std::pair<double, std::size_t>> sizes;
  for (std::size_t i = 0; i < lines.size(); ++i) sizes.emplace_back(size_of(lines[i]), i);
  std::stable_sort(sizes.begin(), sizes.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::vector<std::size_t>> groups;
  double largest = std::numeric_limits<double>::infinity();
  for (const auto& [size, i] : sizes) {
    if (groups.empty() || (size > 0.0 && size * kLikeSize < largest)) {
      groups.emplace_back();
      largest = size;
    }
    groups.back().push_back(i);
  }
  for (auto& group : groups) std::ranges::sort(group);
  std::ranges::sort(groups);
  std::vector<std::vector<Line>> out;
  for (const auto& group : groups) {
    out.emplace_back();
    for (const std::size_t i : group) out.back().push_back(lines[i]);
  }
  return out;
}

// Lines of like size in a panel each.
void add_lines(Figure& f, const Model& model, const std::vector<Line>& lines, std::string title) {
  const double window = window_of(lines);
  for (const std::vector<Line>& group : by_size(lines)) {
    Panel panel{.title = title, .x = {.label = with_unit(model, "t")}, .y = {.label = label_of(model, group)}};
    add_curves(f, std::move(panel), group, window);
    title.clear();
  }
}

void add_motion(Figure& f, const Model& model, const Trajectory::Records& r) {
  const auto n = static_cast<std::size_t>(model.coordinates.size());
  std::vector<Line> lines;
  for (std::size_t i = 0; i < std::min(n, kMostCurves); ++i)
    lines.push_back({model.coordinates[static_cast<std::int32_t>(i)], r.t, {r.q.data(), n, i}});
  add_lines(f, model, lines,
            n > kMostCurves ? fmt::format("the first {} of {} coordinates", kMostCurves, n) : std::string("motion"));
}

void add_outputs(Figure& f, const Model& model, const Trajectory& t) {
  const std::size_t width = t.quantity_names.size(), n = std::min(model.outputs.size(), kMostCurves);
  if (n == 0 || t.records.quantities.empty()) return;
  std::vector<Line> lines;
  for (std::size_t i = 0; i < n; ++i)
    lines.push_back({model.outputs[i].name, t.records.t, {t.records.quantities.data(), width, i}});
  add_lines(f, model, lines,
            model.outputs.size() > n ? fmt::format("the first {} of {} outputs", n, model.outputs.size()) : "outputs");
}

// --- with it

class Chosen {
 public:
  Chosen(const Model& model, const Trajectory& t) : model_(model), t_(t), blocks_(all_blocks(model, t)) {}

  void add(Figure& f, const std::vector<PlottedPanel>& panels) const {
    std::vector<std::vector<Line>> lines;
    std::vector<Line> shown;  // not errors, whose wiggles are no oscillations
    for (const PlottedPanel& panel : panels) {
      lines.push_back(panel.paths() ? std::vector<Line>() : over_time(panel));
      if (!is_error(lines.back())) shown.insert(shown.end(), lines.back().begin(), lines.back().end());
    }
    const double window = window_of(shown);
    for (std::size_t i = 0; i < panels.size(); ++i) {
      if (panels[i].paths()) {
        f.panels.push_back(paths(panels[i]));
      } else if (is_error(lines[i])) {
        Panel& panel = f.panels.emplace_back(Panel{.x = {.label = with_unit(model_, "t")},
                                                   .y = {.label = label_of(model_, lines[i]), .logarithmic = true}});
        for (const Line& line : lines[i]) panel.series.push_back(envelope(line));
        f.caption = kOfPieces;
      } else {
        add_curves(f, {.x = {.label = with_unit(model_, "t")}, .y = {.label = label_of(model_, lines[i])}}, lines[i],
                   window);
      }
    }
  }

 private:
  // Residuals have nothing to say but how small they are.
  static bool is_error(const std::vector<Line>& lines) {
    return !lines.empty() && std::ranges::all_of(lines, [](const Line& line) {
      return line.label.starts_with("residual.") || line.label == "balance";
    });
  }

  [[nodiscard]] std::vector<Line> all(const auto& fits) const {
    std::vector<Line> out;
    for (const Block& block : blocks_)
      for (std::size_t i = 0; i < block.columns.size(); ++i)
        if (fits(block.columns[i]))
          out.push_back({block.columns[i], t_.records.t, {block.values, block.columns.size(), i}});
    return out;
  }

  // A name that the run could record, but this method or system has no such column: the balance of power, say.
  [[nodiscard]] Line column(const std::string& name) const {
    const std::vector<Line> found = all([&](const std::string& column) { return column == name; });
    if (found.empty())
      throw Error(
          fmt::format("--plot-columns: this run has no column '{}'. Columns: {}", name, front::listed(t_.columns())));
    return found[0];
  }

  [[nodiscard]] std::vector<Line> over_time(const PlottedPanel& panel) const {
    std::vector<Line> lines;
    for (const PlottedPanel::Item& item : panel.items) {
      if (!is_pattern(item.y)) {
        lines.push_back(column(item.y));
        continue;
      }
      const std::vector<Line> found =
          all([&](const std::string& name) { return name != "t" && matches(name, item.y); });
      lines.insert(lines.end(), found.begin(), found.end());
    }
    return lines;
  }

  [[nodiscard]] Panel paths(const PlottedPanel& panel) const {
    constexpr std::size_t kShown = 40'000;
    Panel p{.x = {.label = with_unit(model_, panel.items[0].x)},
            .y = {.label = with_unit(model_, panel.items[0].y)},
            .same_scale = true};
    for (const PlottedPanel::Item& item : panel.items) {
      const Line x = column(item.x), y = column(item.y);
      plot::Series& s = p.series.emplace_back(plot::Series{.label = item.x + ":" + item.y});
      for (const std::size_t i : shown_rows(std::array{x.values, y.values}, t_.records.rows, kShown)) {
        s.x.push_back(x.values[i]);
        s.y.push_back(y.values[i]);
      }
      if (item.x != panel.items[0].x) p.x.label.clear();
      if (item.y != panel.items[0].y) p.y.label.clear();
    }
    return p;
  }

 public:
  static constexpr const char* kOfPieces = "Errors and residuals: the largest in each of 360 pieces of the run.";

 private:
  const Model& model_;
  const Trajectory& t_;
  std::vector<Block> blocks_;
};

void add_kept(Figure& f, const Model& model, const Trajectory& t) {
  const Trajectory::Records& r = t.records;
  const std::string time = with_unit(model, "t"), unit = unit_of(model, "energy"),
                    in_units = unit.empty() ? "" : fmt::format(" ({})", unit);
  const auto line = [&](const char* label, const std::vector<double>& values) {
    return Line{label, r.t, {values.data()}};
  };
  if (!r.energy.empty()) {
    if (why_energy_changes(model).empty()) {
      f.panels.push_back({.title = fmt::format("energy error (the energy is {:.6g})", r.energy.front()),
                          .x = {.label = time},
                          .y = {.label = "|E - E0|" + in_units, .logarithmic = true},
                          .series = {envelope(line("", r.energy), r.energy.front())}});
    } else {
      f.panels.push_back({.title = "energy",
                          .x = {.label = time},
                          .y = {.label = "E" + in_units},
                          .series = {curve(line("", r.energy))}});
    }
  }
  Panel residuals{
      .title = "constraint residuals", .x = {.label = time}, .y = {.label = "residual", .logarithmic = true}};
  const bool position = !r.residual_position.empty() && has_position_level(model);
  if (position) residuals.series.push_back(envelope(line("position level", r.residual_position)));
  if (!r.residual_velocity.empty() && model.multiplier_count() > 0)
    residuals.series.push_back(envelope(line(position ? "velocity level" : "", r.residual_velocity)));
  if (!residuals.series.empty()) f.panels.push_back(std::move(residuals));
  if (!r.balance.empty())
    f.panels.push_back({.title = "stored - supplied + dissipated, in the step before",
                        .x = {.label = time},
                        .y = {.label = "power balance", .logarithmic = true},
                        .series = {envelope(line("", r.balance))}});
}

}  // namespace

Figure figure_of(const Model& model, const Trajectory& t, const Options& options) {
  Figure f{.title = fmt::format("{}: {}{}, h = {:g}", model.name.empty() ? model.key : model.name, t.method,
                                t.stages > 1 ? fmt::format(", {} stages", t.stages) : "", t.step)};
  if (const std::vector<PlottedPanel> panels = plotted_panels(options); !panels.empty()) {
    Chosen(model, t).add(f, panels);
    return f;
  }
  f.caption = Chosen::kOfPieces;
  add_motion(f, model, t.records);
  add_outputs(f, model, t);
  add_kept(f, model, t);
  return f;
}

}  // namespace rattleback::report
