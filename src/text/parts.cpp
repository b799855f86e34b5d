#include "text/parts.hpp"

namespace rattleback {

std::vector<std::string> parts_outside_brackets(std::string_view text, char separator) {
  std::vector<std::string> out;
  std::string part;
  int depth = 0;
  const auto finish = [&] {
    const std::size_t begin = part.find_first_not_of(' '), end = part.find_last_not_of(' ');
    out.push_back(begin == std::string::npos ? "" : part.substr(begin, end - begin + 1));
    part.clear();
  };
  for (const char c : text) {
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (c == separator && depth == 0)
      finish();
    else
      part += c;
  }
  finish();
  return out;
}

}  // namespace rattleback
