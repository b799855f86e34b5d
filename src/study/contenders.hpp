// The methods of an order study or a comparison.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rattleback/simulate.hpp"

namespace rattleback {

// A named method with its stages (0: default), or the user's own coefficients, which are Options::tableau.
struct Contender {
  std::string name;
  int stages = 0;
  bool own = false;

  // "spark-gauss(2)"; a method whose stages nobody chooses has no number there.
  [[nodiscard]] std::string label(const std::string& method, int of_stages) const;
  // These options for it alone.
  [[nodiscard]] Options options(Options of_all) const;
};

// Those that were named and, behind them, the tableau of the options. Throws Error when one is not known or wrong.
std::vector<Contender> contenders(const std::vector<std::pair<std::string, int>>& methods, const Options& options);

}  // namespace rattleback
