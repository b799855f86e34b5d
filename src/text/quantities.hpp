// Numbers, counts and lists of names as people read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rattleback {

std::string size_text(double value);                                // of an error: "3.1e-15", "0"
std::string value_text(double value);                               // of a coordinate: 10 significant digits
std::string duration_text(double seconds);                          // "2.1 ms", "3.4 s", "2 min 5 s"
std::string count_text(std::int64_t count, std::string_view noun);  // "1 step", "834 steps"

inline constexpr std::size_t kShownNames = 8;
std::string names_text(const std::vector<std::string>& names);  // the first ones: "a, b, c", "a, b ... h and 12 more"

}  // namespace rattleback
