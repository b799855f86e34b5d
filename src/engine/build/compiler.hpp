// The system's C compiler: finding it, and running it so that it leaves nothing behind. It has a process group of its own,
// works in a temporary folder of ours, and is ended when it takes too long, when the run is told to end, or by a signal
// handler.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "files/temporary.hpp"

namespace rattleback {

// The first of gcc, cc, clang ... in PATH.
[[nodiscard]] std::optional<std::filesystem::path> find_compiler();

// All that the object depends on besides the text: options, which compiler that is, and the processor.
[[nodiscard]] std::string compiler_identity(const std::filesystem::path& compiler);

// After how many seconds a compiler is given up: 20, or $RATTLEBACK_COMPILER_SECONDS.
[[nodiscard]] double compiler_patience();

// done: or nobody knows, and what it made must be looked at.
enum class CompilerEnd { done, failed, too_long, told_to_end };

// Compiles kSourceName of the folder to kObjectName, silently.
inline constexpr const char *kSourceName = "step.c", *kObjectName = "step.so";
[[nodiscard]] CompilerEnd run_compiler(const std::filesystem::path& compiler, const files::TemporaryFolder& folder,
                                       const std::stop_token& stop);

// Ends all compilers that run now; none is started afterwards. Safe in a signal handler, after which the process must end.
void kill_compilers() noexcept;

}  // namespace rattleback
