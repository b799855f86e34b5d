// Parts of the text of `check`.
#pragma once

#include <string>

#include "rattleback/simulate.hpp"

namespace rattleback::report {

// Symmetries that the model names, and those that were found; "" when there are none.
std::string symmetry_section(const CheckReport& report);

// Forms of the equations, entry by entry.
std::string port_hamiltonian_table(const CheckReport& report);
std::string reduced_table(const CheckReport& report);

}  // namespace rattleback::report
