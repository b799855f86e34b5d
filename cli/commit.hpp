// The commit that this program was built from; its source is written by cmake/commit.cmake.
#pragma once

namespace rattleback::cli {

// Ten digits; "" where there was no repository.
const char* commit();

}  // namespace rattleback::cli
