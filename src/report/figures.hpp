// Figures of runs and of order studies.
#pragma once

#include "plot/figure.hpp"
#include "rattleback/simulate.hpp"

namespace rattleback::report {

// Path or coordinates, energy, residuals and power balance over time, as far as the run has them.
plot::Figure figure_of(const Model& model, const Trajectory& trajectory);
// Error over step size, with the slopes.
plot::Figure figure_of(const Model& model, const OrderReport& report);

// Throws Error unless the name ends in .svg and can be written.
void check_figure_path(const std::string& path);

}  // namespace rattleback::report
