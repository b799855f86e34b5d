#include "output/figures.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace rattleback::report {

using plot::Figure;
using plot::Panel;
using plot::Series;

Figure figure_of(const Model& model, const OrderReport& report) {
  Panel p{.x = {.label = "step size h", .logarithmic = true}, .y = {.label = "error at the end", .logarithmic = true}};
  for (const OrderSlope& slope : report.slopes) {
    Series s{.label = fmt::format("{}: slope {:.2f}", slope.label, slope.fitted),
             .style = Series::Style::line_and_points};
    for (const OrderRun& run : report.runs)
      if (run.label == slope.label) {
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
