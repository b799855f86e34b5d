#include "reproduce/measures.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "model/grammar/suggest.hpp"
#include "rattleback/error.hpp"
#include "reproduce/columns.hpp"
#include "reproduce/distance.hpp"

namespace rattleback::reproduce {
namespace {

[[noreturn]] void unknown(const std::string& name, const std::string& what) {
  throw Error(fmt::format("'{}' cannot be measured of {}", name, what));
}

double number_of(const std::string& text) {
  try {
    std::size_t used = 0;
    const double value = std::stod(text, &used);
    if (used == text.size()) return value;
  } catch (const std::exception&) {  // the message below says more
  }
  throw Error(fmt::format("'{}' is not a step size", text));
}

}  // namespace

std::optional<std::pair<std::string, std::string>> as_call(const std::string& measure) {
  const std::size_t open = measure.find('(');
  if (open == std::string::npos || !measure.ends_with(')')) return std::nullopt;
  const std::string name = measure.substr(0, open);
  if (name.empty() || name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") != std::string::npos) return std::nullopt;
  return std::pair{name, measure.substr(open + 1, measure.size() - open - 2)};
}

Message measure_fault(Study::Verb verb, const std::string& name) {
  using List = std::vector<std::string>;
  static const List runs{"energy.max_error",
                         "energy.relative",
                         "energy.initial",
                         "energy.final",
                         "energy.drift_per_time",
                         "power_balance.max_residual",
                         "power_balance.relative",
                         "power_balance.supplied",
                         "power_balance.dissipated",
                         "constraints.position",
                         "constraints.velocity",
                         "constraints.midpoint",
                         "error",
                         "wall_seconds",
                         "stopped"};
  static const List orders{"slope.fitted", "slope.last", "slope.positions", "slope.velocities", "slope.multipliers"};
  static const List order_calls{"error", "error_positions", "error_velocities"};
  List known, calls = statistics();
  switch (verb) {
    case Study::Verb::run:
      known = runs;
      calls.insert(calls.end(), {"distance", "end_distance", "relative_distance"});
      break;
    case Study::Verb::order:
      known = orders;
      calls = order_calls;
      break;
    case Study::Verb::section:
      known = {"energy_error", "crossings"};
      calls.emplace_back("conic");
      break;
    case Study::Verb::ensemble: known = {"failed", "constraints.position", "constraints.velocity"}; break;
    case Study::Verb::check:
      if (name.starts_with("integrable.")) return "";
      known = {"integrable.NAME", "integrable_together", "rank", "index"};
      calls.clear();
      break;
  }
  const auto call = as_call(name);
  if (call ? std::ranges::count(calls, call->first) > 0 : std::ranges::count(known, name) > 0) return "";
  for (const std::string& c : calls) known.push_back(c + "(..)");
  return fmt::format("'{}' is not a measure of this study. ", name) +
         front::did_you_mean(call ? call->first + "(..)" : name, known) +
         fmt::format("Known here: {}", fmt::join(known, ", "));
}

std::vector<double> measure(const Model& model, const Trajectory& run, const std::string& name) {
  const auto some = [&](const std::optional<double>& value) {
    if (!value) unknown(name, fmt::format("'{}' with {}", model.key, run.method));
    return std::vector<double>{*value};
  };
  if (const auto call = as_call(name)) {
    if (!std::ranges::count(statistics(), call->first)) unknown(name, "a run");
    return {statistic(call->first, run.records.t, column_of(model, run, call->second))};
  }
  if (name.starts_with("energy.") && run.energy) {
    const EnergyAudit& e = *run.energy;
    if (name == "energy.max_error") return {e.max_error};
    if (name == "energy.relative") return {e.max_error / std::fabs(e.initial)};
    if (name == "energy.initial") return {e.initial};
    if (name == "energy.final") return {e.final};
    if (name == "energy.drift_per_time") return {e.drift_per_time};
  }
  if (name.starts_with("power_balance.") && run.power_balance) {
    const PowerBalance& b = *run.power_balance;
    if (name == "power_balance.max_residual") return {b.max_residual};
    if (name == "power_balance.relative") return {b.max_residual / b.largest_energy};
    if (name == "power_balance.supplied") return {b.supplied};
    if (name == "power_balance.dissipated") return {b.dissipated};
  }
  if (name == "constraints.position") return some(run.constraint_position);
  if (name == "constraints.velocity") return some(run.constraint_velocity);
  if (name == "constraints.midpoint") return some(run.constraint_midpoint);
  if (name == "error") return some(run.error);
  if (name == "wall_seconds") return {run.wall_seconds};
  if (name == "stopped") return {run.status == Status::stopped ? 1.0 : 0.0};
  unknown(name, fmt::format("a run of '{}' with {}", model.key, run.method));
}

std::vector<double> measure(const OrderReport& report, const std::string& name) {
  std::vector<double> out;
  if (const auto call = as_call(name); call && call->first.starts_with("error")) {
    const double h = number_of(call->second);
    for (const OrderRun& run : report.runs) {
      if (std::fabs(run.step - h) > 1e-12 * h) continue;
      if (call->first == "error") out.push_back(run.error);
      if (call->first == "error_positions") out.push_back(run.error_q);
      if (call->first == "error_velocities") out.push_back(run.error_v);
    }
    if (!out.empty()) return out;
  }
  for (const OrderSlope& slope : report.slopes) {
    if (name == "slope.fitted") out.push_back(slope.fitted);
    if (name == "slope.last") out.push_back(slope.last);
    if (name == "slope.positions") out.push_back(slope.fitted_q);
    if (name == "slope.velocities") out.push_back(slope.fitted_v);
    if (name == "slope.multipliers") out.push_back(slope.fitted_multipliers);
  }
  if (out.empty()) unknown(name, "an order study");
  return out;
}

std::vector<double> measure(const SectionRequest& request, const SectionReport& report, const std::string& name) {
  std::vector<double> out;
  const auto axis = [&](const std::string& text) {
    const auto found = std::ranges::find(request.axes, text);
    if (found == request.axes.end()) throw Error(fmt::format("'{}': the section has no axis '{}'", name, text));
    return static_cast<std::size_t>(found - request.axes.begin());
  };
  const auto columns = [&](std::size_t start, std::size_t which) {
    Column t, y;
    for (const SectionPoint& p : report.points)
      if (p.start == start) {
        t.push_back(p.t);
        y.push_back(p.axes[which]);
      }
    return std::pair{t, y};
  };
  const auto call = as_call(name);
  for (std::size_t i = 0; i < report.starts.size(); ++i) {
    if (name == "energy_error") {
      out.push_back(report.starts[i].energy_error.value_or(std::nan("")));
    } else if (name == "crossings") {
      out.push_back(static_cast<double>(report.starts[i].crossings));
    } else if (call && call->first == "conic" && request.axes.size() >= 2) {
      out.push_back(conic_defect(columns(i, 0).second, columns(i, 1).second));
    } else if (call && std::ranges::count(statistics(), call->first)) {
      const auto [t, y] = columns(i, axis(call->second));
      out.push_back(statistic(call->first, t, y));
    } else {
      unknown(name, "a section");
    }
  }
  return out;
}

Column ensemble_column(const EnsembleReport& report, int power, const std::string& name) {
  if (!report.energy) throw Error("this ensemble has no energy");
  const EnergyStatistics& e = *report.energy;
  const double unit = std::pow(report.step, power);
  if (name == "t") return e.t;
  const auto scaled = [](Column column, double by) {
    for (double& v : column) v /= by;
    return column;
  };
  if (name == "mean") return scaled(e.mean, unit);
  if (name == "max") return scaled(e.max, unit);
  if (name == "variance") return scaled(e.variance, unit * unit);
  if (name == "mean_square") return scaled(e.mean_square, unit * unit);
  throw Error(fmt::format("an ensemble has t, mean, max, variance and mean_square over time, found '{}'", name));
}

std::vector<double> measure(const EnsembleReport& report, int power, const std::string& name) {
  if (const auto call = as_call(name); call && std::ranges::count(statistics(), call->first))
    return {statistic(call->first, ensemble_column(report, power, "t"), ensemble_column(report, power, call->second))};
  if (name == "failed") return {static_cast<double>(report.failed.size())};
  double position = 0.0, velocity = 0.0;
  for (const EnsembleMember& m : report.members) {
    position = std::fmax(position, m.constraint_position.value_or(0.0));
    velocity = std::fmax(velocity, m.constraint_velocity.value_or(0.0));
  }
  if (name == "constraints.position") return {position};
  if (name == "constraints.velocity") return {velocity};
  unknown(name, "an ensemble");
}

std::vector<double> measure(const CheckReport& report, const std::string& name) {
  for (const ConstraintCheck& c : report.constraints)
    if (name == "integrable." + c.name) return {c.integrable ? 1.0 : 0.0};
  if (name == "integrable_together") return {report.integrable_together ? 1.0 : 0.0};
  if (name == "rank") return {static_cast<double>(report.rank)};
  if (name == "index") return {static_cast<double>(report.index)};
  unknown(name, "a check");
}

std::string in_words(const std::string& measure) {
  static const std::map<std::string, std::string> words{
      {"energy.max_error", "largest energy error"},
      {"energy.relative", "largest relative energy error"},
      {"energy.initial", "energy at the start"},
      {"energy.final", "energy at the end"},
      {"energy.drift_per_time", "energy drift per time"},
      {"energy_error", "largest energy error"},
      {"constraints.position", "position constraint"},
      {"constraints.velocity", "velocity constraint"},
      {"constraints.midpoint", "velocity constraint at midpoints"},
      {"power_balance.max_residual", "power balance, per step"},
      {"power_balance.relative", "power balance, per step, relative"},
      {"error", "error at the end"},
      {"slope.fitted", "slope, fitted"},
      {"slope.last", "slope between the two smallest steps"},
      {"slope.positions", "slope of the positions"},
      {"slope.velocities", "slope of the velocities"},
      {"slope.multipliers", "slope of the multipliers"},
      {"wall_seconds", "seconds"},
      {"stopped", "stopped early (1: yes)"},
      {"integrable_together", "integrable together (1: yes)"},
  };
  if (const auto found = words.find(measure); found != words.end()) return found->second;
  if (const auto d = as_distance(measure)) {
    const std::string of = d->component.empty() ? "" : fmt::format(" of {}", d->component);
    const std::string to = d->run == "reference" ? "the reference" : fmt::format("the run '{}'", d->run);
    return fmt::format("{}distance{} to {}{}", d->kind == "relative_distance" ? "mean relative " : "", of, to,
                       d->kind == "end_distance" ? " at the end" : "");
  }
  const auto call = as_call(measure);
  if (!call) return measure;
  static const std::map<std::string, std::string> calls{{"max", "largest |{}|"},
                                                        {"min", "smallest {}"},
                                                        {"first", "{} at the start"},
                                                        {"final", "{} at the end"},
                                                        {"range", "range of {}"},
                                                        {"mean", "mean of {}"},
                                                        {"slope", "growth of {} per time"},
                                                        {"offset", "{} without its growth"},
                                                        {"rate", "exponential rate of {}"},
                                                        {"late_rate", "exponential rate of {}, last fifth"},
                                                        {"growth", "{}: last tenth over first"},
                                                        {"excess", "{}: last tenth over the rest"},
                                                        {"chaos", "0-1 test for chaos of {}"},
                                                        {"conic", "distance from an ellipse"},
                                                        {"error", "error for h = {}"},
                                                        {"error_positions", "error of the positions for h = {}"},
                                                        {"error_velocities", "error of the velocities for h = {}"}};
  const auto found = calls.find(call->first);
  return found == calls.end() ? measure : fmt::format(fmt::runtime(found->second), call->second);
}

}  // namespace rattleback::reproduce
