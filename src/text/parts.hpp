// Lists that people write: expressions with commas, colons or semicolons between them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rattleback {

// The parts between separators that are not inside brackets, without the blanks around them: atan2(y, x) is one. A part may be
// empty; a text without separators is one part.
std::vector<std::string> parts_outside_brackets(std::string_view text, char separator);

}  // namespace rattleback
