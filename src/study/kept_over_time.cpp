#include "study/kept_over_time.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/kind_facts.hpp"
#include "rattleback/error.hpp"
#include "run/quantities.hpp"

namespace rattleback {
namespace {

// Words of their own. All others are columns.
bool is_error(const std::string& name) { return name == "energy" || name == "position" || name == "velocity"; }

void check(const Model& model, const std::string& name) {
  const auto lacks = [&](const char* what) {
    throw Error(fmt::format("--over-time {}: '{}' has {}. Leave it out", name, model.key, what));
  };
  if (name.empty()) throw Error("--over-time has an empty place: it takes names with commas between them");
  if (name == "energy" && !facts_of(model).energy) lacks("no energy");
  if (name == "position" && !has_position_level(model)) lacks("no constraints at position level");
  if (name == "velocity" && !has_velocity_level(model)) lacks("no constraints at velocity level");
}

}  // namespace

KeptOverTime::KeptOverTime(const Model& model, const std::vector<std::string>& asked) : asked_(asked), names_(asked) {
  for (const std::string& name : asked) {
    check(model, name);
    if (std::count(asked.begin(), asked.end(), name) > 1)
      throw Error(fmt::format("--over-time: '{}' is named twice", name));
    if (!is_error(name)) columns_.push_back(name);
  }
  check_columns(model, columns_, "--over-time");
}

Options KeptOverTime::recording(Options options, const Options& asked) const {
  if (asked_.empty()) return options;
  options.keep_records = true;
  options.every = asked.every;
  options.output_columns = fmt::format("{}", fmt::join(columns_, ","));
  return options;
}

// Patterns in full, with what the first run has.
void KeptOverTime::name(const std::vector<std::string>& columns) {
  named_ = true;
  names_.clear();
  for (const std::string& name : asked_)
    if (is_error(name) || !is_pattern(name))
      names_.push_back(name);
    else
      std::ranges::copy_if(columns, std::back_inserter(names_), [&](const std::string& column) {
        return column != "t" && matches(column, name) && std::ranges::find(names_, column) == names_.end();
      });
}

OverTime KeptOverTime::of(const Trajectory& run) {
  if (asked_.empty()) return {};
  const std::vector<std::string> columns = run.columns();
  if (!named_) name(columns);
  OverTime out{run.records.t, {}};
  for (const std::string& name : names_) {
    const std::string column = name == "position" || name == "velocity" ? "residual." + name : name;
    std::vector<double>& values = out.values.emplace_back();
    if (std::ranges::find(columns, column) == columns.end()) continue;
    values = run.column(column);
    if (name != "energy" || values.empty()) continue;
    const double start = values.front();
    for (double& value : values) value -= start;
  }
  return out;
}

}  // namespace rattleback
