// Commented model files to begin with, one for each kind of system: the files in starters/. `@NAME@` and `@FILE@` stand for
// what the user calls his.
#pragma once

#include <span>
#include <string_view>

namespace rattleback::front {

struct Starter {
  std::string_view kind, text;
};
std::span<const Starter> starters();

}  // namespace rattleback::front
