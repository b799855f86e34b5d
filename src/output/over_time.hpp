// What compare found over time: as a table, as JSON and as panels of its figure.
#pragma once

#include <string>

#include "output/json.hpp"
#include "plot/figure.hpp"
#include "rattleback/analysis.hpp"

namespace rattleback::report {

// A table for each quantity, ten rows over the run. "" when nothing was asked for.
std::string over_time_text(const CompareReport& report);

// {"t": [..], "energy": [..], ..} of one run.
Json over_time_json(const CompareReport& report, const CompareRun& run);

// Which axis its values have.
enum class ValueScale { by_quantity, logarithmic, linear };  // by_quantity: logarithmic for errors, linear for columns

// One panel for each quantity, in which each run has its curve.
plot::Figure over_time_figure(const Model& model, const CompareReport& report,
                              ValueScale scale = ValueScale::by_quantity);

}  // namespace rattleback::report
