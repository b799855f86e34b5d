# Programs around the library: each file is one executable.

# examples/<name>.cpp -> example_<name>, built with everything else and run as a test.
file(GLOB example_sources CONFIGURE_DEPENDS examples/*.cpp)
foreach(source IN LISTS example_sources)
  get_filename_component(name ${source} NAME_WE)
  add_executable(example_${name} ${source})
  target_link_libraries(example_${name} PRIVATE rattleback rattleback_warnings)
endforeach()

# bench/kernels.cpp: hand-written limits, for the benchmarks and for the test that they are right. They get all that the
# machine and the compiler have, which the library does not.
if(EXISTS ${PROJECT_SOURCE_DIR}/bench/kernels.cpp)
  add_library(rattleback_kernels STATIC EXCLUDE_FROM_ALL bench/kernels.cpp)
  target_compile_features(rattleback_kernels PUBLIC cxx_std_20)
  target_include_directories(rattleback_kernels PUBLIC bench)
  target_compile_options(rattleback_kernels PRIVATE -O3 -march=native -ffp-contract=fast)
  target_link_libraries(rattleback_kernels PRIVATE rattleback_warnings)
endif()

# bench/<name>.cpp -> bench_<name>; `ninja bench` builds them all, nothing else does.
file(GLOB bench_sources CONFIGURE_DEPENDS bench/*.cpp)
list(FILTER bench_sources EXCLUDE REGEX "/kernels\\.cpp$")
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
                                                rattleback_kernels rattleback::sundials fmt::fmt)
    if(uses_benchmark)
      target_link_libraries(bench_${name} PRIVATE benchmark::benchmark)
    endif()
    if(name STREQUAL large)  # bench/chain_kernel.hpp is in it
      target_compile_options(bench_${name} PRIVATE -O3 -march=native -ffp-contract=fast)
    endif()
    target_compile_definitions(bench_${name} PRIVATE RATTLEBACK_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    add_dependencies(bench bench_${name})
  endforeach()
endif()

# tests/bench/ compares the kernels with the library; the timing itself is a long test, alone on the machine, of what
# `ninja bench` has built.
function(add_bench_tests)
  if(TARGET bench_tests)
    target_link_libraries(bench_tests PRIVATE rattleback_kernels)
  endif()
  foreach(name interpreter native ida large energy)
    if(TARGET bench_${name} AND NOT RATTLEBACK_SANITIZE)
      add_test(NAME bench.${name} COMMAND bench_${name} --check)
      set_tests_properties(bench.${name} PROPERTIES TIMEOUT 300 LABELS "bench;long" RUN_SERIAL ON)
    endif()
  endforeach()
endfunction()
if(RATTLEBACK_TESTS)
  cmake_language(DEFER CALL add_bench_tests)  # when tests/ has been read
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
