// What a measured number should be. It is written as a string, so that its digits count:
//   "2.647e-4"    to the digits given: one unit in the last of them may be missing
//   "<6e-14"      below
//   ">1e-3"       above
//   "0.8..1.0"    between
//   "1~0.02"      within 0.02
//   "*"           measured, and nothing expected
#pragma once

#include <string>

namespace rattleback::reproduce {

struct Expectation {
  std::string text;
  double low = 0.0, high = 0.0;
  bool open = false;  // nothing is expected

  [[nodiscard]] bool holds(double found) const { return open || (found >= low && found <= high); }
};

// Throws Error with what is accepted.
Expectation read_expectation(const std::string& text);

}  // namespace rattleback::reproduce
