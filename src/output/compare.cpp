// What `rattleback compare` prints.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "output/ending.hpp"
#include "output/json.hpp"
#include "output/layout.hpp"
#include "output/over_time.hpp"
#include "output/tabular.hpp"
#include "rattleback/analysis.hpp"
#include "text/quantities.hpp"

namespace rattleback {
namespace {

using namespace report;

const char* status_text(CompareRun::Status status) {
  return status == CompareRun::Status::done      ? "done"
         : status == CompareRun::Status::stopped ? "stopped"
                                                 : "does not apply";
}

std::string error_text(const std::optional<double>& x) { return x ? fmt::format("{:.3e}", *x) : "-"; }
std::string small_text(const std::optional<double>& x) { return x ? size_text(*x) : "-"; }
std::string slope_text(double x) { return std::isfinite(x) ? fmt::format("{:.2f}", x) : "-"; }

// The main table. Columns that no run has are left out.
Tabular main_table(const CompareReport& r) {
  const auto any = [&](auto value) {
    return std::any_of(r.runs.begin(), r.runs.end(), [&](const CompareRun& run) { return (run.*value).has_value(); });
  };
  const bool energy = any(&CompareRun::energy_error), position = any(&CompareRun::constraint_position),
             velocity = any(&CompareRun::constraint_velocity),
             balance = r.dissipative && any(&CompareRun::power_balance);
  Tabular table{{{"method", "step", "error"}}, {}};
  auto& rows = table.rows;
  if (energy) rows[0].emplace_back(r.dissipative ? "energy change" : "energy");
  if (balance) rows[0].emplace_back("balance");
  if (position) rows[0].emplace_back("position");
  if (velocity) rows[0].emplace_back("velocity");
  rows[0].emplace_back("Newton");
  rows[0].emplace_back("time");
  const std::string* before = nullptr;
  for (const CompareRun& run : r.runs) {
    const bool again = before != nullptr && *before == run.label;
    if (again && run.status == CompareRun::Status::refused) continue;  // once for all steps
    if (!again && before != nullptr) table.rules.push_back(rows.size());
    std::vector<std::string> row = {again ? "" : run.label, fmt::format("{}", run.step)};
    before = &run.label;
    if (run.status == CompareRun::Status::refused) {
      row.emplace_back("does not apply");
    } else {
      row.push_back(run.status == CompareRun::Status::done ? error_text(run.error) : "stopped");
      if (energy) row.push_back(small_text(run.energy_error));
      if (balance) row.push_back(small_text(run.power_balance));
      if (position) row.push_back(small_text(run.constraint_position));
      if (velocity) row.push_back(small_text(run.constraint_velocity));
      row.push_back(run.adaptive || run.steps == 0
                        ? "-"
                        : fmt::format("{:.1f}", static_cast<double>(run.iterations) / static_cast<double>(run.steps)));
      row.push_back(duration_text(run.seconds));
    }
    row.resize(rows[0].size());
    rows.push_back(std::move(row));
  }
  if (r.slopes.empty()) table.rules.clear();  // one row for each
  table.right.assign(rows[0].size(), true);
  table.right[0] = table.right[1] = false;
  return table;
}

// Seconds for an error, on the straight lines between the measured points; NaN outside.
double seconds_for(const CompareReport& r, const std::string& label, double error) {
  std::vector<std::pair<double, double>> points;
  for (const CompareRun& run : r.runs)
    if (run.label == label && run.error && *run.error > 0.0 && run.seconds > 0.0)
      points.emplace_back(std::log(*run.error), std::log(run.seconds));
  std::sort(points.begin(), points.end());
  const double x = std::log(error);
  for (std::size_t i = 1; i < points.size(); ++i) {
    const auto& [x0, y0] = points[i - 1];
    const auto& [x1, y1] = points[i];
    if (x0 <= x && x <= x1 && x1 > x0) return std::exp(y0 + (y1 - y0) * (x - x0) / (x1 - x0));
  }
  return std::nan("");
}

bool has_slopes(const CompareReport& r) { return !r.slopes.empty() && !r.reference.empty(); }

Tabular slopes_table(const CompareReport& r) {
  std::vector<int> decades;
  for (int k = 0; k >= -15; --k) {
    const auto reached = [&](const CompareSlope& s) {
      return std::isfinite(seconds_for(r, s.label, std::pow(10.0, k)));
    };
    if (std::any_of(r.slopes.begin(), r.slopes.end(), reached)) decades.push_back(k);
  }
  // At most five, spread over the range.
  const std::size_t every = (decades.size() + 4) / 5;
  Tabular table{{{"method", "slope", "last two"}}, {}};
  auto& rows = table.rows;
  std::vector<int> shown;
  for (std::size_t i = 0; i < decades.size(); i += every) {
    shown.push_back(decades[i]);
    rows[0].push_back(fmt::format("time for {}", decades[i] == 0 ? "1" : fmt::format("1e{}", decades[i])));
  }
  for (const CompareSlope& s : r.slopes) {
    const auto ran = [&](const CompareRun& run) { return run.label == s.label && run.error; };
    if (std::none_of(r.runs.begin(), r.runs.end(), ran)) continue;
    rows.push_back({s.label, slope_text(s.fitted), slope_text(s.last)});
    for (const int k : shown) {
      const double seconds = seconds_for(r, s.label, std::pow(10.0, k));
      rows.back().push_back(std::isfinite(seconds) ? duration_text(seconds) : "-");
    }
  }
  table.right.assign(rows[0].size(), true);
  table.right[0] = false;
  return table;
}

constexpr std::string_view kSlopes = "Error over step, and the time that an error costs";

std::string heading(const Model& model, const CompareReport& r) {
  const std::string against = r.reference == "exact" ? "the exact solution" : r.reference;
  return fmt::format("{} ({}) to t = {:g}{}", model.name, model.key, r.until,
                     r.reference.empty() ? "" : "; errors against " + against);
}

}  // namespace

std::string to_latex(const Model& model, const CompareReport& r) {
  std::string text = latex_text(main_table(r), heading(model, r));
  if (has_slopes(r)) text += "\n\\medskip\n\n" + latex_text(slopes_table(r), kSlopes);
  return text;
}

std::string to_text(const Model& model, const CompareReport& r) {
  std::string text = wrap(heading(model, r), "", "  ");
  text += '\n' + terminal_text(main_table(r));
  if (has_slopes(r)) text += fmt::format("\n{}\n{}", kSlopes, terminal_text(slopes_table(r)));
  text += over_time_text(r);
  text += '\n' + wrap(
                     "Energy and constraints: the largest errors of the run. Newton: iterations per step. Time: of the "
                     "steps alone, the least of a few repeats.",
                     "", "");
  if (!r.reference_fault.empty())
    text += wrap("No errors: there is no [exact] solution, and the reference failed: " + r.reference_fault +
                     ". Pass --reference NAME:S:H",
                 "", "  ");
  // A method that keeps the constraint elsewhere than at the ends of steps.
  for (std::size_t i = 0; i < r.runs.size(); ++i) {
    if (!r.runs[i].constraint_midpoint || (i > 0 && r.runs[i - 1].label == r.runs[i].label)) continue;
    double largest = 0.0;
    for (const CompareRun& run : r.runs)
      if (run.label == r.runs[i].label) largest = std::fmax(largest, run.constraint_midpoint.value_or(0.0));
    text += wrap(fmt::format("{}: velocity constraint kept to {} at the midpoints of the steps.", r.runs[i].label,
                             size_text(largest)),
                 "", "  ");
  }
  std::vector<std::string> said;
  for (const CompareRun& run : r.runs) {
    if (run.message.empty()) continue;
    std::string line = run.message;  // begins with the method's name
    if (std::find(said.begin(), said.end(), line) != said.end()) continue;
    text += wrap(line, "", "  ");
    said.push_back(std::move(line));
  }
  return text;
}

std::string to_json(const Model& model, const CompareReport& r) {
  Json json;
  json["system"] = model.key;
  json["kind"] = to_string(model.kind);
  json["until"] = r.until;
  json["reference"] = r.reference;
  if (!r.reference_fault.empty()) json["reference_fault"] = r.reference_fault;
  json["runs"] = Json::array();
  for (const CompareRun& run : r.runs) {
    Json one = {{"method", run.method}, {"stages", run.stages}, {"step", run.step}};
    const auto put = [&](const char* key, const std::optional<double>& value) {
      if (value) one[key] = *value;
    };
    one["error"] = run.error ? Json(*run.error) : Json(nullptr);
    one["seconds"] = run.status == CompareRun::Status::refused ? Json(nullptr) : Json(run.seconds);
    one["label"] = run.label;
    if (run.order > 0) one["order"] = run.order;
    put("error_positions", run.error_positions);
    put("error_velocities", run.error_velocities);
    put("energy_error", run.energy_error);
    put("constraint_position", run.constraint_position);
    put("constraint_velocity", run.constraint_velocity);
    put("constraint_midpoint", run.constraint_midpoint);
    put("power_balance", run.power_balance);
    if (run.status != CompareRun::Status::refused) {
      one["t"] = run.t;
      one["steps"] = run.steps;
      if (!run.adaptive) one["iterations"] = run.iterations;
    }
    one["status"] = status_text(run.status);
    one["message"] = run.message;
    if (!run.over_time.t.empty()) one["over_time"] = over_time_json(r, run);
    json["runs"].push_back(std::move(one));
  }
  const auto slopes = [&](const char* key, double CompareSlope::*value) {
    json[key] = Json::object();
    for (const CompareSlope& s : r.slopes) json[key][s.label] = s.*value;
  };
  slopes("slopes", &CompareSlope::fitted);
  slopes("slopes_last", &CompareSlope::last);
  slopes("slopes_work", &CompareSlope::work);
  put_ending(json, ending_of(r));
  return dump(json);
}

}  // namespace rattleback
