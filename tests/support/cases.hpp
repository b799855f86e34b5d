// The models of tests/cases: inputs that once went wrong, each with its right numbers in cases_test.cpp.
#pragma once

#include <string>

namespace rattleback::testing {

// case_file("slider-loop"): its path.
inline std::string case_file(const std::string& name) {
  return std::string(RATTLEBACK_SOURCE_DIR) + "/tests/cases/" + name + ".toml";
}

}  // namespace rattleback::testing
