// The version that output files and `rattleback --version` name.
#pragma once

#include <string_view>

#include "rattleback/version.hpp"

namespace rattleback::report {

inline constexpr std::string_view kVersion = RATTLEBACK_VERSION;

}  // namespace rattleback::report
