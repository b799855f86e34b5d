// What `rattleback order` prints.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "output/layout.hpp"
#include "output/tabular.hpp"
#include "rattleback/write.hpp"
#include "text/quantities.hpp"

namespace rattleback {
namespace {

using namespace report;

std::string slope_text(double x) { return std::isfinite(x) ? fmt::format("{:.2f}", x) : "-"; }

std::string heading(const OrderReport& r) { return fmt::format("Error at the end; reference: {}", r.reference); }

// One column per method, in the order of the runs.
Tabular table_of(const OrderReport& r) {
  std::vector<std::string> labels;
  std::vector<double> steps;
  Tabular table{{{"step"}}, {false}};
  for (const OrderRun& run : r.runs) {
    if (std::ranges::find(steps, run.step) == steps.end()) steps.push_back(run.step);
    if (std::ranges::find(labels, run.label) != labels.end()) continue;
    labels.push_back(run.label);
    table.rows[0].push_back(run.label == run.method ? fmt::format("{}({})", run.method, run.stages) : run.label);
    table.right.push_back(true);
  }
  for (const double step : steps) {
    std::vector<std::string>& row = table.rows.emplace_back(1, fmt::format("{}", step));
    for (const std::string& label : labels) {
      const auto run =
          std::ranges::find_if(r.runs, [&](const OrderRun& one) { return one.label == label && one.step == step; });
      row.push_back(run != r.runs.end() && std::isfinite(run->error) ? fmt::format("{:.3e}", run->error) : "-");
    }
  }
  table.rules.push_back(table.rows.size());
  const std::vector<std::pair<std::string, double OrderSlope::*>> slopes = {
      {"slope, fitted", &OrderSlope::fitted},
      {"slope, last two steps", &OrderSlope::last},
      {"  of positions", &OrderSlope::fitted_q},
      {"  of velocities", &OrderSlope::fitted_v},
      {"  of multipliers", &OrderSlope::fitted_multipliers}};
  for (const auto& [name, value] : slopes) {
    std::vector<std::string> row = {name};
    for (const std::string& label : labels) {
      const auto slope = std::ranges::find(r.slopes, label, &OrderSlope::label);
      row.push_back(slope == r.slopes.end() ? "-" : slope_text((*slope).*value));
    }
    if (std::any_of(row.begin() + 1, row.end(), [](const std::string& cell) { return cell != "-"; }))
      table.rows.push_back(std::move(row));
  }
  table.rules.push_back(table.rows.size());
  std::vector<std::string>& times = table.rows.emplace_back(1, "time, all steps");
  for (const std::string& label : labels) {
    double seconds = 0.0;
    for (const OrderRun& run : r.runs) seconds += run.label == label ? run.seconds : 0.0;
    times.push_back(duration_text(seconds));
  }
  return table;
}

}  // namespace

std::string to_text(const OrderReport& r) {
  std::string text = wrap(heading(r), "", "  ");
  for (const Tabular& part : parts_for_terminal(table_of(r))) text += '\n' + terminal_text(part);
  return text;
}

std::string to_latex(const OrderReport& r) { return latex_text(table_of(r), heading(r)); }

}  // namespace rattleback
