// The report of a run: one HTML file that stands alone. What is said in words stands in the page itself; plots and the
// animation are drawn by its script from one block of JSON.
#pragma once

#include <string>

#include "rattleback/simulate.hpp"

namespace rattleback::report {

// Throws Error unless the name ends in .html and can be written, and this build has the scripts of the page.
void check_report_path(const std::string& path);

std::string run_report(const Model& model, const Trajectory& trajectory, const Options& options,
                       const LoadOptions& load);

}  // namespace rattleback::report
