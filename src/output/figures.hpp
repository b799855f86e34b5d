// Figures of runs and of order studies.
#pragma once

#include "output/member_curves.hpp"
#include "plot/figure.hpp"
#include "rattleback/analysis.hpp"
#include "rattleback/simulate.hpp"

namespace rattleback::report {

// The coordinates, those of like size in one panel, energy, residuals and power balance over time, as far as the run has them;
// or what Options::plot_columns asks for. Throws Error when the run has no such column.
plot::Figure figure_of(const Model& model, const Trajectory& trajectory, const Options& options = {});
// Error over step size, with the slopes.
plot::Figure figure_of(const Model& model, const OrderReport& report);
// Error over step size, and error over the time that it cost.
plot::Figure figure_of(const Model& model, const CompareReport& report);
// The crossings, one colour for each start: the first two axes, or the first coordinate over its velocity.
plot::Figure figure_of(const Model& model, const SectionRequest& request, const SectionReport& report);

// Outputs, or the end, over what varies; with curves members over time (ensemble_figure.cpp).
plot::Figure figure_of(const Model& model, const EnsembleReport& report, const MemberCurves* curves = nullptr);

}  // namespace rattleback::report
