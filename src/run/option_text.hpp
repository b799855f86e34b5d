// Options by name and text, for callers that have nothing else: C, and scripts.
#pragma once

#include <string>
#include <string_view>

#include "rattleback/simulate.hpp"

namespace rattleback {

// name: a row of the table of options; value: as it is typed on the command line. Throws Error.
void put_option(Options& options, std::string_view name, const std::string& value);

// The shortest text that reads back as the same number.
std::string exact_text(double x);

}  // namespace rattleback
