// Records as an HDF5 file: one dataset per quantity, and everything that is needed to repeat the run as attributes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "output/columns.hpp"
#include "rattleback/simulate.hpp"

namespace rattleback::report {

// Overwrites `path`; whole-or-nothing is write.cpp's work. `options` is the request as JSON. Throws Error.
void write_hdf5(const Model& model, const Trajectory& trajectory, const std::string& options, const std::string& path);

// Lists of texts by their datasets.
using Texts = std::vector<std::pair<std::string, std::vector<std::string>>>;

// Any tables, each with its own number of rows, texts as attributes of the root, and lists of texts.
void write_hdf5(const std::vector<std::pair<Block, std::size_t>>& tables,
                const std::vector<std::pair<std::string, std::string>>& attributes, const std::string& path,
                const Texts& texts = {});

}  // namespace rattleback::report
