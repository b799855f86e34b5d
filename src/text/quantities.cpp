#include "text/quantities.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace rattleback {

std::string size_text(double value) { return value == 0.0 ? "0" : fmt::format("{:.1e}", value); }

std::string value_text(double value) { return fmt::format("{:.10g}", value + 0.0); }  // -0 is 0 to people

std::string duration_text(double seconds) {
  if (!(seconds >= 0.0)) return "?";
  if (seconds < 1e-3) return fmt::format("{:.0f} us", seconds * 1e6);
  if (seconds < 0.1) return fmt::format("{:.1f} ms", seconds * 1e3);
  if (seconds < 1.0) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (seconds < 60.0) return fmt::format("{:.1f} s", seconds);
  const double minutes = std::floor(seconds / 60.0);
  if (minutes < 60.0) return fmt::format("{:.0f} min {:.0f} s", minutes, std::floor(seconds - 60.0 * minutes));
  const double hours = std::floor(minutes / 60.0);
  return fmt::format("{:.0f} h {:.0f} min", hours, minutes - 60.0 * hours);
}

std::string count_text(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string names_text(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShownNames); ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kShownNames) text += fmt::format(" and {} more", names.size() - kShownNames);
  return text;
}

}  // namespace rattleback
