// Which run it is: everything that its numbers depend on, by name. Two runs with the same signature take the same steps and
// keep the same records; they may differ in where they end, in what is done with the results and in how fast they are.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rattleback/simulate.hpp"
#include "system/start/start.hpp"

namespace rattleback {

// Lines of it that are no options. The name of a system is for messages: a file may get another one.
inline constexpr const char* kSystemLine = "the system";
inline constexpr const char* kTextLine = "the model file";

// `used`: the options with all defaults filled in, as the run takes them.
std::vector<std::pair<std::string, std::string>> signature(const Model& model, const Options& used, const Start& start);

}  // namespace rattleback
