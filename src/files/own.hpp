// Files of our own that are believed: opened once, and judged by the descriptor.
#pragma once

#include <cstdint>
#include <string>

#include "files/descriptor.hpp"

namespace rattleback::files {

struct OwnFile {
  Descriptor file;
  std::uintmax_t size = 0;
  bool missing = false;  // there is nothing of this name
  std::string fault;     // empty, or a phrase that follows the name: "belongs to another user"

  explicit operator bool() const { return static_cast<bool>(file); }
};

// A regular file that nobody but this user (or root) can have written. `flags`: O_RDONLY or O_RDWR. No link is followed,
// and no pipe waited for. folder: an open one that the path begins in.
[[nodiscard]] OwnFile open_own(const std::string& path, int flags, int folder);
[[nodiscard]] OwnFile open_own(const std::string& path, int flags);

// All of such a file, if it has at most `largest` bytes.
[[nodiscard]] bool read_own(const std::string& path, int folder, std::uintmax_t largest, std::string& bytes);

}  // namespace rattleback::files
