// Loads a shared object from memory: what was judged is what is loaded, a file that is cut off later does no harm, and
// folders from which nothing may be executed (noexec) do not matter.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace rattleback {

// Null when that cannot be. The pointer keeps it loaded.
[[nodiscard]] std::shared_ptr<void> load_object(std::string_view object);

// The two ways, in this order. Systems without /proc, or that execute nothing from memory, have the second only.
[[nodiscard]] std::shared_ptr<void> load_from_memory(std::string_view object);
[[nodiscard]] std::shared_ptr<void> load_from_temporary_folder(std::string_view object);

}  // namespace rattleback
