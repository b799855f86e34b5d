// Lists of methods and steps, as order and compare take them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common.hpp"

namespace rattleback::cli {

// What help says of --tableau where there may be methods beside it.
inline const OptionWords kTableauBeside = {
    {"tableau", "your own Runge-Kutta coefficients, beside --methods or without them"}};

// --methods NAME[:S],...
std::vector<std::pair<std::string, int>> read_methods(Arguments& a, const std::string& verb);
// --step-list H1,H2,... Faults for a list that is not there are the caller's.
std::vector<double> read_step_list(Arguments& a);
// --reference exact|NAME:S:H
std::string read_reference(Arguments& a);

}  // namespace rattleback::cli
