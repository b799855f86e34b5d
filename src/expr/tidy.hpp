// Expressions as people would write them: parameters by name, products multiplied out where they are small, like terms
// collected, sin^2 + cos^2 as 1, common factors in front. In the syntax of model files, so that what reads those can read it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rattleback/expr.hpp"

namespace rattleback {

class TidyText {
 public:
  // variable: writes a variable leaf or an input. parameters: their names, by number.
  TidyText(const Graph& graph, std::vector<std::string> parameters, std::function<std::string(const Node&)> variable);
  ~TidyText();

  // Throws Error where the text would be longer than anybody reads.
  std::string operator()(NodeId expr);

 private:
  class Writer;
  std::unique_ptr<Writer> writer_;
};

}  // namespace rattleback
