// Output files and texts of a run.
#pragma once

#include <string>

#include "rattleback/export.hpp"
#include "rattleback/simulate.hpp"

namespace RATTLEBACK_API rattleback {

// One JSON object, as docs/guide/command-line.md has it. All numbers read back to the same double:
std::string to_json(const Model& model, const Trajectory& trajectory);
std::string to_json(const Model& model, const CheckReport& report);
std::string to_json(const Model& model, const OrderReport& report);
std::string methods_json();  // of all methods

// Plain sentences, as the terminal prints them. Why a run stopped early is in Trajectory::message and not repeated here:
std::string to_text(const Model& model, const Trajectory& trajectory);
std::string to_text(const Model& model, const CheckReport& report);
std::string to_text(const OrderReport& report);

// A LaTeX document of a mechanical system: Lagrangian, constraints, equations of motion. It needs amsmath. Throws Error for
// systems of other kinds, and where formulas are too long to be written.
std::string to_latex(const Model& model);

// The table of its text for a LaTeX document with the package booktabs.
std::string to_latex(const OrderReport& report);

// Whole or not at all: written beside the target and renamed. The extension chooses .csv or .h5. Throws Error.
void write_trajectory(const Model& model, const Trajectory& trajectory, const std::string& path);

}  // namespace rattleback
