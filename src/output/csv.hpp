// Records as comma-separated values: a header row, then one row per record; numbers read back exactly.
#pragma once

#include <string>
#include <string_view>

#include "rattleback/simulate.hpp"

namespace rattleback::report {

// Overwrites `path`; whole-or-nothing is write.cpp's work. Throws Error when the file cannot be written.
void write_csv(const Model& model, const Trajectory& trajectory, const std::string& path);

// As in RFC 4180: a cell with a comma, a quote or a line break is quoted, quotes inside are doubled.
void append_cell(std::string& text, std::string_view cell);

}  // namespace rattleback::report
