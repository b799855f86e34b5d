// Where output goes: checked before a run, written whole or not at all after it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "rattleback/write.hpp"

namespace rattleback {

// Throws Error unless a trajectory could be written to `path`: a known extension, in a folder that exists and is
// writable, and not over a folder, a device or a read-only file. Nothing is touched.
void check_output_path(const std::string& path);

namespace report {

// The same for any file; `what` is its name in messages ("output file", "checkpoint").
void check_place(const std::string& path, std::string_view what);

// Calls `writer` with a place beside `path`, and puts what it wrote there in the place of `path`. Throws Error.
void write_whole(const std::string& path, const std::function<void(const std::string& place)>& writer);

// Whole or not at all. Throws Error.
void write_text(const std::string& path, std::string_view text);

// write_trajectory that also keeps the request, as JSON, in HDF5 files.
void write_trajectory(const Model& model, const Trajectory& trajectory, const std::string& options,
                      const std::string& path);

}  // namespace report
}  // namespace rattleback
