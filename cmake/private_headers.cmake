# rattleback_private: what the sources of the library, and tests of its inside, see in addition to the public headers.
#
# Libraries of templates are compiled into ours under another name. Their functions are weak symbols: under their own names
# those of a program that uses the same libraries would be merged with ours, although its compiler options may differ, and
# with them the layout of data (Eigen with -mavx aligns to 32 bytes, and frees what we allocated otherwise).
#
# Found by their headers: find_package would make targets, which a parent project may have, too.

# rattleback_header_folder(<variable> <header> <package> [SUFFIXES <folder>...])
function(rattleback_header_folder variable header package)
  cmake_parse_arguments(arg "" "" "SUFFIXES" ${ARGN})
  find_path(RATTLEBACK_${variable}_INCLUDE ${header} PATH_SUFFIXES ${arg_SUFFIXES})
  mark_as_advanced(RATTLEBACK_${variable}_INCLUDE)
  if(NOT RATTLEBACK_${variable}_INCLUDE)
    message(FATAL_ERROR "rattleback needs ${header}, which was not found (Debian: ${package}). "
                        "packages.txt in the source tree names all packages.")
  endif()
endfunction()

rattleback_header_folder(EIGEN Eigen/Core libeigen3-dev SUFFIXES eigen3)
rattleback_header_folder(JSON nlohmann/json.hpp nlohmann-json3-dev)
rattleback_header_folder(TOML toml++/toml.h libtomlplusplus-dev)
rattleback_header_folder(FMT fmt/format-inl.h libfmt-dev)

add_library(rattleback_private INTERFACE)
target_include_directories(rattleback_private INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_include_directories(rattleback_private SYSTEM INTERFACE
  ${RATTLEBACK_EIGEN_INCLUDE} ${RATTLEBACK_JSON_INCLUDE} ${RATTLEBACK_TOML_INCLUDE} ${RATTLEBACK_FMT_INCLUDE})
target_compile_definitions(rattleback_private INTERFACE
  Eigen=rattleback_eigen nlohmann=rattleback_nlohmann toml=rattleback_toml fmt=rattleback_fmt)

# src/text/formatting.cpp compiles fmt once, for version 9. Others are compiled with each file that formats.
file(STRINGS ${RATTLEBACK_FMT_INCLUDE}/fmt/core.h fmt_version REGEX "define FMT_VERSION 9[0-9][0-9][0-9][0-9]$")
if(NOT fmt_version)
  target_compile_definitions(rattleback_private INTERFACE FMT_HEADER_ONLY=1)
endif()

foreach(part HDF5 RSVG SUNDIALS)
  if(NOT RATTLEBACK_WITH_${part})
    target_compile_definitions(rattleback_private INTERFACE RATTLEBACK_WITHOUT_${part})
  endif()
endforeach()

if(RATTLEBACK_WITH_CLI)
  rattleback_header_folder(CLI11 CLI/CLI.hpp libcli11-dev)
  target_include_directories(rattleback_private SYSTEM INTERFACE ${RATTLEBACK_CLI11_INCLUDE})
endif()
