# Precompiled headers: only what others wrote and nearly every file of ours needs, so that a change of our own headers
# recompiles no more than before. A compiler cache is faster still, but does not see into precompiled headers.
set(precompile ON)
if(CMAKE_CXX_COMPILER_LAUNCHER OR RATTLEBACK_SANITIZE OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(precompile OFF)
endif()
option(RATTLEBACK_PRECOMPILE "Precompile the headers of others (off: checks that each file includes what it needs)"
       ${precompile})

# GCC 12 forgets in them what the headers say about false alarms inside std::string; builds without them still look.
if(RATTLEBACK_PRECOMPILE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(rattleback_warnings INTERFACE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()

set(precompiled_std <algorithm> <cmath> <cstdint> <cstring> <filesystem> <fstream> <functional> <map> <memory>
                    <optional> <span> <string> <string_view> <unordered_map> <utility> <vector>)
set(precompiled_library ${precompiled_std} <fmt/format.h>)
set(precompiled_tests ${precompiled_std} <gtest/gtest.h>)

# rattleback_precompile_headers(<target> <header>...), or REUSE_FROM <other target> with the same flags.
function(rattleback_precompile_headers target)
  if(RATTLEBACK_PRECOMPILE)
    if(ARGV1 STREQUAL "REUSE_FROM")
      target_precompile_headers(${target} REUSE_FROM ${ARGV2})
    else()
      target_precompile_headers(${target} PRIVATE ${ARGN})
    endif()
  endif()
endfunction()
