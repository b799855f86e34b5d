// Parameters of a stepper of steppers.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace rattleback {

// put(values, changed) gives values to all parts. Where one of them does not take them, all get the present ones back.
template <class Put>
bool put_in_all(std::vector<double>& present, std::span<const double> values, std::optional<std::size_t> changed,
                const Put& put) {
  if (!put(values, changed)) {
    if (!present.empty()) (void)put(std::span<const double>(present), std::optional<std::size_t>());
    return false;
  }
  present.assign(values.begin(), values.end());
  return true;
}

}  // namespace rattleback
