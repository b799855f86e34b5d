#include "run/plot_columns.hpp"

#include <fmt/format.h>

#include "rattleback/error.hpp"
#include "run/quantities.hpp"
#include "text/parts.hpp"

namespace rattleback {
namespace {

[[noreturn]] void fault(const std::string& what) {
  throw Error(fmt::format(
      "--plot-columns takes columns with commas between them, panels with semicolons, and x:y for a path in the plane: "
      "--plot-columns \"theta, phi'; energy; x:y\". {}",
      what));
}

PlottedPanel::Item item_of(const std::string& text) {
  const std::vector<std::string> parts = parts_outside_brackets(text, ':');
  if (parts.size() > 2) fault(fmt::format("'{}' has too many colons", text));
  for (const std::string& part : parts)
    if (part.empty()) fault(text.empty() ? "There is an empty place" : fmt::format("'{}' lacks a column", text));
  if (parts.size() == 1) return {"", parts[0]};
  for (const std::string& part : parts)
    if (is_pattern(part)) fault(fmt::format("'{}' has a pattern, but a path has one column on each axis", text));
  return {parts[0], parts[1]};
}

}  // namespace

std::vector<PlottedPanel> plotted_panels(const Options& options) {
  std::vector<PlottedPanel> out;
  if (options.plot_columns.empty()) return out;
  for (const std::string& panel : parts_outside_brackets(options.plot_columns, ';')) {
    PlottedPanel& p = out.emplace_back();
    for (const std::string& item : parts_outside_brackets(panel, ',')) {
      p.items.push_back(item_of(item));
      if (p.items.back().x.empty() == p.paths())
        fault(fmt::format("'{}' has paths and columns over time in one panel; put a semicolon between them", panel));
    }
  }
  return out;
}

std::vector<std::string> plotted_columns(const Options& options) {
  std::vector<std::string> out;
  for (const PlottedPanel& panel : plotted_panels(options))
    for (const PlottedPanel::Item& item : panel.items) {
      if (!item.x.empty()) out.push_back(item.x);
      out.push_back(item.y);
    }
  return out;
}

}  // namespace rattleback
