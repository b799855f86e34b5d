// The records of a trajectory as named columns. CSV writes them side by side, HDF5 each block as one dataset, so that
// both formats use the same names in the same order.
#pragma once

#include <string>
#include <vector>

#include "rattleback/simulate.hpp"

namespace rattleback::report {

struct Block {
  std::string dataset;                  // place in an HDF5 file: "q", "residual/position"
  std::vector<std::string> columns;     // one name per column
  const double* values = nullptr;       // rows x columns, row by row; null: all zero (a level without constraints)
  bool vector = false;                  // one column, kept as a vector in HDF5
  std::vector<std::string> units = {};  // of the columns, "" where none is known; empty: of none of them
  std::vector<double> own = {};         // what `values` points to, where some columns of a block were selected
};

// Blocks point into the trajectory. What does not apply to the kind of system is left out, and so is what was not selected.
std::vector<Block> record_blocks(const Model& model, const Trajectory& trajectory);
// Also what was not selected.
std::vector<Block> all_blocks(const Model& model, const Trajectory& trajectory);

// The shortest text that reads back as the same double; "nan", "inf" and "-inf" for the others.
void append_number(std::string& text, double value);

}  // namespace rattleback::report
