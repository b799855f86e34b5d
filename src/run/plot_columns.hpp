// Which columns of a run are drawn: Options::plot_columns, "theta, phi'; energy; x:y".
#pragma once

#include <string>
#include <vector>

#include "rattleback/simulate.hpp"

namespace rattleback {

// What one panel shows: columns over time, or paths in the plane of two of them.
struct PlottedPanel {
  struct Item {
    std::string x;  // "": time
    std::string y;  // a column or, over time, a pattern
  };
  std::vector<Item> items;
  [[nodiscard]] bool paths() const { return !items.front().x.empty(); }
};

// Empty when nothing is asked for. Throws Error.
std::vector<PlottedPanel> plotted_panels(const Options& options);
// The columns that are named there.
std::vector<std::string> plotted_columns(const Options& options);

}  // namespace rattleback
