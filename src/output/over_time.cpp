#include "output/over_time.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "output/curves.hpp"
#include "output/layout.hpp"
#include "output/tabular.hpp"
#include "text/quantities.hpp"

namespace rattleback::report {
namespace {

constexpr int kRows = 10;

bool is_error(const std::string& name) { return name == "energy" || name == "position" || name == "velocity"; }

// What a number of an error is.
std::string symbol_of(const std::string& name) {
  return name == "energy" ? "|E - E0|" : is_error(name) ? "residual" : name;
}

std::string title_of(const std::string& name) {
  if (name == "energy") return "energy error";
  return is_error(name) ? fmt::format("constraint residuals at {} level", name) : name;
}

// The runs that have something over time, with what distinguishes them.
std::vector<std::pair<const CompareRun*, std::string>> labelled(const CompareReport& report) {
  std::vector<std::pair<const CompareRun*, std::string>> out;
  const bool several = std::ranges::any_of(report.runs, [&](const CompareRun& run) {
    return run.label == report.runs.front().label && run.step != report.runs.front().step;
  });
  for (const CompareRun& run : report.runs)
    if (!run.over_time.t.empty())
      out.emplace_back(&run, several ? fmt::format("{}, h = {:g}", run.label, run.step) : run.label);
  return out;
}

// Of an error the largest in a tenth of the run, of a column the last value in it. NaN: the run has none there.
double value_in(const CompareRun& run, std::size_t quantity, bool error, double from, double to) {
  const std::vector<double>&t = run.over_time.t, &values = run.over_time.values[quantity];
  const double room = 1e-9 * std::fabs(to);
  double out = std::nan("");
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (t[i] > to + room || (t[i] <= from + room && from > 0.0)) continue;
    out = error ? std::fmax(std::isnan(out) ? 0.0 : out, std::fabs(values[i])) : values[i];
  }
  return out;
}

}  // namespace

std::string over_time_text(const CompareReport& report) {
  std::string text;
  const auto runs = labelled(report);
  for (std::size_t k = 0; k < report.over_time.size() && !runs.empty(); ++k) {
    const std::string& name = report.over_time[k];
    const bool error = is_error(name);
    Tabular table{{{"to t"}}, {true}};
    for (const auto& [run, label] : runs) {
      table.rows[0].push_back(label);
      table.right.push_back(true);
    }
    for (int row = 1; row <= kRows; ++row) {
      const double from = report.until * (row - 1) / kRows, to = report.until * row / kRows;
      std::vector<std::string>& cells = table.rows.emplace_back(1, fmt::format("{:g}", to));
      for (const auto& [run, label] : runs) {
        const double value = value_in(*run, k, error, from, to);
        cells.push_back(std::isnan(value) ? "-" : error ? fmt::format("{:.3e}", value) : value_text(value));
      }
    }
    text += fmt::format("\n{}: {} each tenth of the run\n", name,
                        error ? fmt::format("the largest {} in", symbol_of(name)) : "at the end of");
    for (const Tabular& part : parts_for_terminal(table)) text += terminal_text(part);
  }
  return text;
}

Json over_time_json(const CompareReport& report, const CompareRun& run) {
  Json json = {{"t", run.over_time.t}};
  for (std::size_t k = 0; k < report.over_time.size(); ++k)
    if (!run.over_time.values[k].empty()) json[report.over_time[k]] = run.over_time.values[k];
  return json;
}

plot::Figure over_time_figure(const Model& model, const CompareReport& report, ValueScale scale) {
  plot::Figure f{.title = fmt::format("{}: methods side by side", model.name.empty() ? model.key : model.name)};
  bool any_error = false;
  for (std::size_t k = 0; k < report.over_time.size(); ++k) {
    const std::string& name = report.over_time[k];
    const bool logarithmic = scale == ValueScale::by_quantity ? is_error(name) : scale == ValueScale::logarithmic;
    std::vector<Line> lines;
    int colour = 0;
    for (const auto& [run, label] : labelled(report)) {
      const std::vector<double>& values = run->over_time.values[k];
      if (!values.empty()) lines.push_back({label, run->over_time.t, {values.data()}, colour});
      ++colour;
    }
    const std::string symbol = is_error(name) && !logarithmic && name == "energy" ? "E - E0" : symbol_of(name);
    plot::Panel panel{
        .title = title_of(name),
        .x = {.label = "t"},
        .y = {.label = logarithmic && !is_error(name) ? "|" + symbol + "|" : symbol, .logarithmic = logarithmic}};
    if (!logarithmic) {
      add_curves(f, std::move(panel), lines, window_of(lines));
      continue;
    }
    any_error = true;
    for (const Line& line : lines) panel.series.push_back(envelope(line));
    f.panels.push_back(std::move(panel));
  }
  if (any_error) f.caption = "On logarithmic axes: the largest in each of 360 pieces of the run.";
  return f;
}

}  // namespace rattleback::report
