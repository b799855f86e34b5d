// What options say against one another. Ranges of single ones are fault_of() of the table.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rattleback/simulate.hpp"

namespace rattleback {

struct Contradiction {
  std::string_view option;  // one of the two, by its name in the table
  std::string text;
};
// What a message calls an option: of "until", or "until T" where a value is asked for, "--until T" or "`until`".
using Called = std::function<std::string(std::string_view)>;

std::vector<Contradiction> contradictions(const Options& options, const Called& called);
// What makes no sense without something else. The model's [run] may bring that, so it is looked at when both are together.
std::vector<Contradiction> missing_partners(const Options& options, const Called& called);

}  // namespace rattleback
