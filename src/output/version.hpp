// The version that output files and `rattleback --version` name: the same as in CMakeLists.txt, which a test checks.
#pragma once

#include <string_view>

namespace rattleback::report {

inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace rattleback::report
