// What can be measured of a run, a section, an ensemble, an order study or a check, by name: a key of the JSON output
// ("energy.max_error"), or a statistic of a column ("slope(theta)", statistics.hpp).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rattleback/analysis.hpp"
#include "rattleback/simulate.hpp"
#include "reproduce/recipe.hpp"
#include "reproduce/statistics.hpp"
#include "text/message.hpp"

namespace rattleback::reproduce {

// "slope(x - y)" is {"slope", "x - y"}; nothing for other names.
std::optional<std::pair<std::string, std::string>> as_call(const std::string& measure);

// Why there is no such measure of a study, with what there is; "" when it may be one (columns are looked up in the run).
Message measure_fault(Study::Verb verb, const std::string& name);

// One number; several for sections (one per start). All throw Error for a measure that there is not.
std::vector<double> measure(const Model& model, const Trajectory& run, const std::string& name);
std::vector<double> measure(const OrderReport& report, const std::string& name);
std::vector<double> measure(const SectionRequest& request, const SectionReport& report, const std::string& name);
std::vector<double> measure(const EnsembleReport& report, int power, const std::string& name);
std::vector<double> measure(const CheckReport& report, const std::string& name);

// Columns over time of an ensemble, divided by the step's power: mean, variance, mean_square, max.
Column ensemble_column(const EnsembleReport& report, int power, const std::string& name);

// In words: "largest energy error".
std::string in_words(const std::string& measure);

}  // namespace rattleback::reproduce
