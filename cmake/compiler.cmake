# Flags of our own targets. Consumers of the library inherit none of them, and a parent project keeps its own.

if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
  endif()
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  find_program(RATTLEBACK_CCACHE ccache)
  mark_as_advanced(RATTLEBACK_CCACHE)
  if(RATTLEBACK_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${RATTLEBACK_CCACHE})
  endif()
endif()
set(CMAKE_CXX_EXTENSIONS OFF)

# No fused multiply-add unless the source says so: scalar and vector paths must give the same bits.
add_library(rattleback_flags INTERFACE)
target_compile_options(rattleback_flags INTERFACE -ffp-contract=off $<$<BOOL:${RATTLEBACK_NATIVE}>:-march=native>)

# clang counts -Wsign-conversion to -Wconversion, GCC does not; index arithmetic in int stays readable without it.
add_library(rattleback_warnings INTERFACE)
target_compile_options(rattleback_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Wshadow
  -Werror=switch  # a value of an enum that a switch forgets does not compile, whatever the build
  $<$<BOOL:${RATTLEBACK_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(rattleback_warnings INTERFACE -Wno-restrict)  # false alarms on std::string +, GCC bug 105651
endif()

if(NOT PROJECT_IS_TOP_LEVEL)
  # What a parent sets for all of its folders and ours cannot do with: numbers that are no numbers are looked at here, and
  # its warnings are for its own code.
  target_compile_options(rattleback_flags INTERFACE -fno-fast-math)
  target_compile_options(rattleback_warnings INTERFACE -w)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    target_compile_options(rattleback_flags INTERFACE -O2)  # ten times slower without
  endif()
endif()

if(RATTLEBACK_SANITIZE)
  add_compile_options(-fsanitize=${RATTLEBACK_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
                      -D_GLIBCXX_ASSERTIONS)
  add_link_options(-fsanitize=${RATTLEBACK_SANITIZE})
endif()
if(RATTLEBACK_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "RATTLEBACK_FUZZ needs clang (libFuzzer), but the compiler is ${CMAKE_CXX_COMPILER_ID}. "
                        "Use: cmake --preset fuzz")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
