// Some memory that is let go when there is no other: for what destructors need while an exception takes things down, which
// would otherwise abort the program (those of the JSON library do).
#pragma once

namespace rattleback::cli {

// Takes it, if it is not there (any more).
void keep_reserve();

}  // namespace rattleback::cli
