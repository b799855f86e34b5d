// The audit of a run as single sentences.
#pragma once

#include <string>
#include <vector>

#include "rattleback/simulate.hpp"

namespace rattleback::report {

// Those that the terminal shows below "What was kept".
std::vector<std::string> audit_statements(const Model& model, const Trajectory& trajectory);

}  // namespace rattleback::report
