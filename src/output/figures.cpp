#include "output/figures.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "audit/energy_balance.hpp"
#include "model/kind_facts.hpp"
#include "output/lists.hpp"
#include "output/thinning.hpp"

namespace rattleback::report {
namespace {

using plot::Figure;
using plot::Panel;
using plot::Series;

constexpr std::size_t kMostCurves = 8;

// A column over time. Of very many rows those that show, extremes included: a drawing must not need as much memory as
// the run has.
Series curve(const std::string& label, const std::vector<double>& t, const Column& values) {
  constexpr std::size_t kAll = 200'000, kShown = 40'000;
  Series s{.label = label};
  for (const std::size_t i : shown_rows(std::span(&values, 1), t.size(), t.size() > kAll ? kShown : kAll)) {
    s.x.push_back(t[i]);
    s.y.push_back(values[i]);
  }
  return s;
}

// The largest of the values in each of many equal pieces of the run: what is drawn of a residual that jumps between rounding
// errors. A level that is exactly 0 has no place on a logarithmic axis: it is drawn at the smallest number that rounding
// leaves.
Series envelope(const std::string& label, const std::vector<double>& t, const std::vector<double>& values,
                double offset = 0.0) {
  constexpr std::size_t kPieces = 360;
  constexpr double kLeast = 1e-17;
  const std::size_t n = std::min(t.size(), values.size()), piece = std::max<std::size_t>(1, n / kPieces);
  Series s{.label = label};
  for (std::size_t i = 0; i < n; i += piece) {
    double largest = kLeast;
    for (std::size_t k = i; k < std::min(n, i + piece); ++k)
      largest = std::fmax(largest, std::fabs(values[k] - offset));
    s.x.push_back(t[i]);
    s.y.push_back(largest);
  }
  return s;
}

Panel motion(const Model& model, const Trajectory::Records& r) {
  const auto n = static_cast<std::size_t>(model.coordinates.size());
  Panel p{.title = n > kMostCurves ? fmt::format("the first {} of {} coordinates", kMostCurves, n) : "motion",
          .x = {.label = "t"},
          .y = {.label = n == 1 ? model.coordinates[0] : ""}};
  for (std::size_t i = 0; i < std::min(n, kMostCurves); ++i)
    p.series.push_back(curve(model.coordinates[static_cast<std::int32_t>(i)], r.t, {r.q.data(), n, i}));
  return p;
}

}  // namespace

Figure figure_of(const Model& model, const Trajectory& t) {
  const Trajectory::Records& r = t.records;
  Figure f{.title = fmt::format("{}: {}{}, h = {:g}", model.name.empty() ? model.key : model.name, t.method,
                                t.stages > 1 ? fmt::format(", {} stages", t.stages) : "", t.step),
           .caption = "Errors and residuals: the largest in each of 360 pieces of the run.",
           .panels = {motion(model, r)},
           .columns = 1};
  if (!r.energy.empty()) {
    if (why_energy_changes(model).empty()) {
      f.panels.push_back({.title = fmt::format("energy error (the energy is {:.6g})", r.energy.front()),
                          .x = {.label = "t"},
                          .y = {.label = "|E - E0|", .logarithmic = true},
                          .series = {envelope("", r.t, r.energy, r.energy.front())}});
    } else {
      f.panels.push_back(
          {.title = "energy", .x = {.label = "t"}, .y = {.label = "E"}, .series = {curve("", r.t, {r.energy.data()})}});
    }
  }
  Panel residuals{
      .title = "constraint residuals", .x = {.label = "t"}, .y = {.label = "residual", .logarithmic = true}};
  const bool position = !r.residual_position.empty() && has_position_level(model);
  if (position) residuals.series.push_back(envelope("position level", r.t, r.residual_position));
  if (!r.residual_velocity.empty() && model.multiplier_count() > 0)
    residuals.series.push_back(envelope("velocity level", r.t, r.residual_velocity));
  if (!residuals.series.empty()) f.panels.push_back(std::move(residuals));
  if (!r.balance.empty())
    f.panels.push_back({.title = "stored - supplied + dissipated, in the step before",
                        .x = {.label = "t"},
                        .y = {.label = "power balance", .logarithmic = true},
                        .series = {envelope("", r.t, r.balance)}});
  return f;
}

Figure figure_of(const Model& model, const OrderReport& report) {
  Panel p{.x = {.label = "step size h", .logarithmic = true}, .y = {.label = "error at the end", .logarithmic = true}};
  for (const OrderSlope& slope : report.slopes) {
    Series s{.label = fmt::format("{}: slope {:.2f}", slope.label, slope.fitted),
             .style = Series::Style::line_and_points};
    for (const OrderRun& run : report.runs)
      if (method_label(run.method, run.stages) == slope.label ||
          fmt::format("{}({})", run.method, run.stages) == slope.label) {
        s.x.push_back(run.step);
        s.y.push_back(run.error);
      }
    p.series.push_back(std::move(s));
  }
  return {.title = fmt::format("{}: error against step size", model.name.empty() ? model.key : model.name),
          .caption = fmt::format("Reference: {}. Slopes are fitted over the points above rounding.", report.reference),
          .panels = {std::move(p)},
          .columns = 1};
}

Figure figure_of(const Model& model, const CompareReport& report) {
  Panel by_step{.title = "accuracy",
                .x = {.label = "step size h", .logarithmic = true},
                .y = {.label = "error at the end", .logarithmic = true}};
  Panel by_time{.title = "work and precision",
                .x = {.label = "seconds", .logarithmic = true},
                .y = {.label = "error at the end", .logarithmic = true}};
  std::map<std::string, std::size_t> place;
  for (const CompareRun& run : report.runs) {
    if (!run.error) continue;
    const auto [it, fresh] = place.try_emplace(run.label, by_step.series.size());
    if (fresh)
      for (Panel* p : {&by_step, &by_time})
        p->series.push_back({.label = run.label, .style = Series::Style::line_and_points});
    Series &a = by_step.series[it->second], &b = by_time.series[it->second];
    a.x.push_back(run.step);
    b.x.push_back(run.seconds);
    a.y.push_back(*run.error);
    b.y.push_back(*run.error);
  }
  return {.title = fmt::format("{}: methods side by side, to t = {:g}", model.name.empty() ? model.key : model.name,
                               report.until),
          .caption = fmt::format("Reference: {}.", report.reference.empty() ? "none" : report.reference),
          .panels = {std::move(by_step), std::move(by_time)},
          .columns = 2};
}

Figure figure_of(const Model& model, const SectionRequest& request, const SectionReport& report) {
  const bool chosen = request.axes.size() > 1;
  const std::string name = model.coordinates.empty() ? "" : model.coordinates[0];
  Panel p{.x = {.label = chosen ? request.axes[0] : name},
          .y = {.label = chosen                         ? request.axes[1]
                         : model.coordinates.size() > 1 ? model.coordinates[1]
                                                        : ""}};
  for (std::size_t i = 0; i < report.starts.size(); ++i) {
    std::string label;
    for (std::size_t k = 0; k < report.names.size() && k < report.starts[i].values.size(); ++k)
      label += fmt::format("{}{} = {:.4g}", label.empty() ? "" : ", ", report.names[k], report.starts[i].values[k]);
    p.series.push_back({.label = report.starts.size() <= 12 ? label : "", .style = Series::Style::points});
  }
  for (const SectionPoint& point : report.points) {
    Series& s = p.series[point.start];
    s.x.push_back(chosen ? point.axes[0] : point.q[0]);
    s.y.push_back(chosen ? point.axes[1] : point.q.size() > 1 ? point.q[1] : 0.0);
  }
  return {.title = fmt::format("{}: section {} = 0", model.name.empty() ? model.key : model.name, request.where),
          .caption = fmt::format("{} crossings of {} starts with {}, h = {:g}.", report.points.size(),
                                 report.starts.size(), report.method, report.step),
          .panels = {std::move(p)},
          .columns = 1};
}

}  // namespace rattleback::report
