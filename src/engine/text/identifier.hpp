// Names in C++ texts that come from users.
#pragma once

#include <string_view>

namespace rattleback {

// Can a struct or a member have this name? Words of the language cannot.
bool is_identifier(std::string_view word);

}  // namespace rattleback
