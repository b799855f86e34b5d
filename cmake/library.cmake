# The library, static or shared as BUILD_SHARED_LIBS says, of the same objects: position-independent, so that plugins can
# contain the static one, and with hidden symbols but for the API (include/rattleback/export.hpp).

# What a build leaves out has a source in its place that says so.
set(left_out output/without_hdf5 plot/without_rsvg bind/without_sundials)
if(NOT RATTLEBACK_WITH_HDF5)
  list(TRANSFORM left_out REPLACE "^output/without_hdf5$" "output/hdf5")
  list(APPEND left_out output/hdf5_file output/hdf5_disk output/member_file)
endif()
if(NOT RATTLEBACK_WITH_RSVG)
  list(TRANSFORM left_out REPLACE "^plot/without_rsvg$" "plot/rsvg")
endif()
if(NOT RATTLEBACK_WITH_SUNDIALS)
  list(TRANSFORM left_out REPLACE "^bind/without_sundials$" "bind/baselines")
endif()
list(TRANSFORM left_out PREPEND "${PROJECT_SOURCE_DIR}/src/")
list(TRANSFORM left_out APPEND ".cpp")
list(REMOVE_ITEM library_sources ${left_out})

file(STRINGS ${PROJECT_SOURCE_DIR}/include/rattleback/version.hpp version_line REGEX "define RATTLEBACK_VERSION ")
if(NOT version_line MATCHES "\"${PROJECT_VERSION}\"")
  message(FATAL_ERROR "include/rattleback/version.hpp and CMakeLists.txt name different versions: "
                      "${version_line}, ${PROJECT_VERSION}")
endif()

add_library(rattleback_objects OBJECT ${library_sources})
target_compile_features(rattleback_objects PRIVATE cxx_std_20)
target_include_directories(rattleback_objects PRIVATE ${PROJECT_SOURCE_DIR}/include)
# Clang takes a definition whose namespace was opened without RATTLEBACK_API for a hidden one, whatever its declaration says. There
# the list of symbols (exported_symbols.map) is what hides.
set(rattleback_visibility hidden)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  set(rattleback_visibility default)
endif()
set_target_properties(rattleback_objects PROPERTIES
  POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET ${rattleback_visibility} VISIBILITY_INLINES_HIDDEN ON UNITY_BUILD OFF)
# Calls within the library are calls, whoever else has a function of that name.
target_compile_options(rattleback_objects PRIVATE -fno-semantic-interposition -pthread)
target_link_libraries(rattleback_objects PRIVATE rattleback_private rattleback_flags rattleback_warnings
                                                 ${rattleback_parts})
rattleback_precompile_headers(rattleback_objects ${precompiled_library})
if(CMAKE_BUILD_TYPE STREQUAL "Release")  # what runs once, or writes texts, is no work for -O3: -O1 compiles in half the time
  file(GLOB_RECURSE once_sources src/audit/*.cpp src/bind/*.cpp src/engine/build/*.cpp src/engine/text/*.cpp
    src/linalg/decompositions.cpp src/method/*.cpp src/model/*.cpp src/option/*.cpp src/output/*.cpp src/plot/*.cpp
    src/report/*.cpp src/reproduce/*.cpp src/run/*.cpp src/study/*.cpp src/system/port_hamiltonian/*.cpp
    src/system/start/*.cpp src/system/*start.cpp src/system/mechanical/inertia.cpp src/text/*.cpp src/tableau/*.cpp)
  # What is called in steps, or between them, is none of these.
  list(FILTER once_sources EXCLUDE REGEX
    "/(bind/(baselines|contact_stepper|redundant_stepper)|run/(dense|dynamics|events|parts|recorder|reported_state|simulate|single_steps|step_control|stepper))\\.cpp$")
  set_source_files_properties(${once_sources} PROPERTIES COMPILE_OPTIONS -O1)
endif()

# rattleback_make_library(<target> [STATIC|SHARED]): of these objects.
function(rattleback_make_library target)
  add_library(${target} ${ARGN} $<TARGET_OBJECTS:rattleback_objects>)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                              $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PRIVATE ${rattleback_parts} -pthread)
  # Before 1.0 every minor version may break what was linked with another.
  set_target_properties(${target} PROPERTIES
    LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "SHARED_LIBRARY")
    # Also what templates of the standard library became here is nobody else's.
    set(exported ${PROJECT_SOURCE_DIR}/cmake/exported_symbols.map)
    target_link_options(${target} PRIVATE -Wl,--version-script=${exported} -Wl,--no-undefined)
    set_target_properties(${target} PROPERTIES LINK_DEPENDS ${exported})
  endif()
endfunction()

rattleback_make_library(rattleback)
add_library(rattleback::rattleback ALIAS rattleback)

# For our own program and the tests, which call what a shared library hides.
get_target_property(type rattleback TYPE)
if(type STREQUAL "SHARED_LIBRARY")
  rattleback_make_library(rattleback_inside STATIC)
  set_target_properties(rattleback_inside PROPERTIES EXCLUDE_FROM_ALL ON)
else()
  add_library(rattleback_inside ALIAS rattleback)
endif()
