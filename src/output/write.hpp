// Trajectories as files: checked before a run, written whole or not at all after it (files/replace.hpp).
#pragma once

#include <string>

#include "rattleback/write.hpp"

namespace rattleback {

// Throws Error unless a trajectory could be written to `path`: a known extension, in a folder that exists and is
// writable, and not over a folder, a device or a read-only file. Nothing is touched.
void check_output_path(const std::string& path);

namespace report {

// write_trajectory that also keeps the request, as JSON, in HDF5 files.
void write_trajectory(const Model& model, const Trajectory& trajectory, const std::string& options,
                      const std::string& path);

}  // namespace report
}  // namespace rattleback
