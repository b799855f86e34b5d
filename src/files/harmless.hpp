// Texts of others on their way to a terminal or into a page. A title, a key or the name of a file may hold what a terminal
// takes as a command, and what XML does not allow: control characters (C0, DEL, C1) and bytes that are not UTF-8.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace rattleback::files {

// The character at the beginning of a text that is not empty.
struct Character {
  std::size_t size = 1;  // bytes
  bool harmful = false;  // a control character other than line feed and tab, or no character at all
};
[[nodiscard]] Character first_character(std::string_view text);

// For terminals: what is harmful is shown as \x1b, or \u0085 where it is more than one byte.
[[nodiscard]] std::string harmless(std::string_view text);
// The same, written without a copy: results may be long.
void write_harmless(std::FILE* to, std::string_view text);

// For JSON that was written already, where such characters stand in strings only: DEL and C1 become \u007f, ..., which
// read back as the same text.
[[nodiscard]] std::string harmless_json(std::string json);

}  // namespace rattleback::files
