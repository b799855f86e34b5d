// Columns of a run by name: what its CSV file holds, errors, or any expression of the model's names.
//   t, x, x', lambda.NAME, energy, residual.velocity, balance, ...   as in CSV files
//   energy_error, relative_energy_error                              E - E0, and that over |E0|
//   energy_change                                                    E minus that of the record before
//   error, error.NAME                                                against [exact]: 2-norm of all, or of one
//   any other text                                                   an expression, such as q3'^2/2 + cos(q3)
#pragma once

#include <string>
#include <vector>

#include "rattleback/simulate.hpp"

namespace rattleback::reproduce {

// One number per record. Throws Error when there is no such column.
std::vector<double> column_of(const Model& model, const Trajectory& trajectory, const std::string& name);

}  // namespace rattleback::reproduce
