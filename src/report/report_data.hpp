// The numbers of a run for its HTML report: records for plots and frames for the animation, thinned so that a report stays
// small however long the run was.
#pragma once

#include "output/json.hpp"
#include "report/view.hpp"

namespace rattleback::report {

// {"columns": [{"name", "group"}], "rows", "recorded", "values", "energy", "view", "motion"}. Values are base64 of
// little-endian doubles, column by column; motion has floats, and times relative to its beginning.
Json report_data(const Model& model, const Trajectory& trajectory);

}  // namespace rattleback::report
