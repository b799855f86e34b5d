// Records as an HDF5 file: one dataset per quantity, and everything that is needed to repeat the run as attributes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "output/columns.hpp"
#include "rattleback/simulate.hpp"

namespace rattleback::report {

// For programs of our own, before the first file: HDF5 has nothing to do when they end. After a failed write (a full disk) it
// keeps the file, and would crash on it then. A program of somebody else may have files that are to be closed then.
void own_hdf5();

// Overwrites `path`; whole-or-nothing is write.cpp's work. `options` is the request as JSON. Throws Error.
void write_hdf5(const Model& model, const Trajectory& trajectory, const std::string& options, const std::string& path);

// Any tables, each with its own number of rows, and texts as attributes of the root.
void write_hdf5(const std::vector<std::pair<Block, std::size_t>>& tables,
                const std::vector<std::pair<std::string, std::string>>& attributes, const std::string& path);

}  // namespace rattleback::report
