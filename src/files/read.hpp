// The one way in for texts that others wrote: opened without waiting, judged by the descriptor, never longer than fits the
// purpose.
#pragma once

#include <cstdint>
#include <string>

namespace rattleback::files {

// Fit for each purpose: a hundred times the largest that was seen in use.
inline constexpr std::uintmax_t kLargestTableau = 1U << 20;   // 1 MiB
inline constexpr std::uintmax_t kLargestRecipe = 1U << 20;    // 1 MiB
inline constexpr std::uintmax_t kLargestTable = 1ULL << 30U;  // 1 GiB: measured data, starts of members

enum class Pipes { refused, accepted };  // accepted: for what a user names on the command line

struct FileText {
  std::string text;   // without a byte order mark
  std::string fault;  // empty, or a phrase that follows the name: "is a folder"
  bool is_folder = false, is_too_large = false;
};

// All of a file. Never blocks on a pipe or terminal that is refused, and never takes more memory than `largest` bytes.
[[nodiscard]] FileText read_text(const std::string& path, std::uintmax_t largest, Pipes pipes = Pipes::refused);

}  // namespace rattleback::files
