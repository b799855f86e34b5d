// Where output goes: judged before a computation, written whole or not at all after it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "files/temporary.hpp"

namespace rattleback::files {

// "." for a name without a folder.
[[nodiscard]] std::string folder_of(const std::string& path);

// Throws Error unless a file could be written at `path`: in a folder that exists and is writable, and not over a folder, a
// device or a read-only file. `what` is its name in messages ("output file", "checkpoint"). Nothing is touched.
void check_place(const std::string& path, std::string_view what);

// A file beside the target that becomes the target when commit() is reached, and disappears otherwise. What a link at the
// target points to is replaced, and the link stays.
class Replacement {
 public:
  explicit Replacement(const std::string& target);  // throws Error

  [[nodiscard]] const std::string& path() const { return file_.path(); }
  [[nodiscard]] int fd() const { return file_.fd(); }
  // Flushes it, renames it, flushes the folder. Throws Error; then the target is as it was.
  void commit();

 private:
  std::string target_;
  TemporaryFile file_;
};

// Calls `writer` with a place beside `path`, and puts what it wrote there in the place of `path`. Throws Error.
void write_whole(const std::string& path, const std::function<void(const std::string& place)>& writer);

// Whole or not at all. Throws Error.
void write_text(const std::string& path, std::string_view text);

}  // namespace rattleback::files
