# Programs around the library: each file is one executable.

# examples/<name>.cpp -> example_<name>, built with everything else and run as a test.
file(GLOB example_sources CONFIGURE_DEPENDS examples/*.cpp)
foreach(source IN LISTS example_sources)
  get_filename_component(name ${source} NAME_WE)
  add_executable(example_${name} ${source})
  target_link_libraries(example_${name} PRIVATE rattleback rattleback_warnings)
endforeach()

# bench/<name>.cpp -> bench_<name>; `ninja bench` builds them all, nothing else does.
file(GLOB bench_sources CONFIGURE_DEPENDS bench/*.cpp)
add_custom_target(bench)
if(bench_sources)
  find_package(benchmark QUIET)
  foreach(source IN LISTS bench_sources)
    get_filename_component(name ${source} NAME_WE)
    file(STRINGS ${source} uses_benchmark REGEX "#include <benchmark/")
    if(uses_benchmark AND NOT benchmark_FOUND)
      message(STATUS "bench_${name} is left out: Google Benchmark was not found")
      continue()
    endif()
    add_executable(bench_${name} EXCLUDE_FROM_ALL ${source})
    target_link_libraries(bench_${name} PRIVATE rattleback rattleback_private rattleback_flags rattleback_warnings
                                                fmt::fmt)
    if(uses_benchmark)
      target_link_libraries(bench_${name} PRIVATE benchmark::benchmark)
    endif()
    target_compile_definitions(bench_${name} PRIVATE RATTLEBACK_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    add_dependencies(bench bench_${name})
  endforeach()
endif()

# fuzz/<name>.cpp -> fuzz_<name>, with preset fuzz.
file(GLOB fuzz_sources CONFIGURE_DEPENDS fuzz/*.cpp)
if(RATTLEBACK_FUZZ)
  add_custom_target(fuzz)
  foreach(source IN LISTS fuzz_sources)
    get_filename_component(name ${source} NAME_WE)
    add_executable(fuzz_${name} ${source})
    target_link_libraries(fuzz_${name} PRIVATE rattleback rattleback_private rattleback_flags rattleback_warnings
                                               fmt::fmt)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    target_compile_definitions(fuzz_${name} PRIVATE RATTLEBACK_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    add_dependencies(fuzz fuzz_${name})
  endforeach()
endif()
