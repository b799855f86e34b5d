// Folders that nobody else could have put there, judged by descriptors: what is opened is what was judged, however
// names are moved about meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "files/descriptor.hpp"

namespace rattleback::files {

// Opens a folder of ours (an absolute path). It and every folder above it belong to us or, those above, to root, and others
// may not write to them. A folder above with the sticky bit may be written by all, as /tmp: nobody can rename what belongs to
// us there. Links are followed before anything is judged, and none afterwards.
// make: missing folders are made, for us alone. Without a value: errno says why, EPERM that it is not to be trusted.
[[nodiscard]] Descriptor open_trusted_folder(const std::string& path, bool make);

}  // namespace rattleback::files
