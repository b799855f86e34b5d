# Programs around the library: each file is one executable.

# examples/<name>.cpp -> example_<name>, built with everything else and run as a test.
file(GLOB example_sources CONFIGURE_DEPENDS examples/*.cpp)
foreach(source IN LISTS example_sources)
  get_filename_component(name ${source} NAME_WE)
  add_executable(example_${name} ${source})
  target_link_libraries(example_${name} PRIVATE rattleback rattleback_warnings)
endforeach()

# examples/<name>.c -> example_<name>, too: programs in C that link with what the library needs of C++.
enable_language(C)
file(GLOB c_examples CONFIGURE_DEPENDS examples/*.c)
foreach(source IN LISTS c_examples)
  get_filename_component(name ${source} NAME_WE)
  add_executable(example_${name} ${source})
  set_target_properties(example_${name} PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF LINKER_LANGUAGE CXX)
  target_link_libraries(example_${name} PRIVATE rattleback)
endforeach()
list(APPEND example_sources ${c_examples})

# examples/generated: the same as its own CMakeLists.txt says, in this build.
add_executable(example_generated examples/generated/main.cpp)
target_compile_features(example_generated PRIVATE cxx_std_20)
target_link_libraries(example_generated PRIVATE rattleback_warnings)
rattleback_add_step(example_generated HEADER magnetic_pendulum.hpp NAME demo::MagneticPendulum
                    MODEL examples/generated/model.hpp FUNCTION magnetic_pendulum METHOD rattle STEP 0.02)
rattleback_add_step(example_generated HEADER two_rods.hpp NAME demo::TwoRods
                    SYSTEM double-pendulum METHOD rattle STEP 0.01)
list(APPEND example_sources examples/generated.cpp)  # the tests run example_<name> for each of them

# bench/kernels/: hand-written limits, for the benchmarks and for the test that they are right. They get all that the
# machine and the compiler have, which the library does not. bench/generated: steps of the same cases, generated, with the
# same flags. What ends in _counted is made for one kind of processor, so that its instructions can be counted anywhere.
set(RATTLEBACK_COUNTED_MARCH x86-64-v3)  # as in bench/instructions.py
file(GLOB kernel_sources CONFIGURE_DEPENDS bench/kernels/*.cpp)
function(add_bench_library name march)
  add_library(${name} STATIC EXCLUDE_FROM_ALL ${ARGN})
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_include_directories(${name} PUBLIC bench)
  target_compile_options(${name} PRIVATE -O3 -march=${march} -ffp-contract=fast)
  target_link_libraries(${name} PRIVATE rattleback_warnings)
endfunction()
add_bench_library(rattleback_kernels native ${kernel_sources})
add_bench_library(rattleback_generated native bench/generated/steps.cpp)
function(bench_step header name)
  rattleback_add_step(rattleback_generated HEADER ${header}.hpp NAME generated::${name} ${ARGN})
endfunction()
set(perturbed SET eps=0.3 z0=-0.4)  # as in bench/cases.hpp
bench_step(contact_oscillator_mp ContactOscillatorMp SYSTEM contact-oscillator METHOD mclachlan-perlmutter STEP 0.1 ${perturbed})
bench_step(contact_oscillator_ab ContactOscillatorAb SYSTEM contact-oscillator METHOD spark-lobatto-ab STAGES 2 STEP 0.1
           ${perturbed})
bench_step(quartic_particles_mp QuarticParticlesMp SYSTEM quartic-particles METHOD mclachlan-perlmutter STEP 0.05)
bench_step(quartic_particles_ab QuarticParticlesAb SYSTEM quartic-particles METHOD spark-lobatto-ab STAGES 2 STEP 0.05)
bench_step(nonholonomic_particle_gauss NonholonomicParticleGauss SYSTEM nonholonomic-particle METHOD spark-gauss STAGES 2
           STEP 0.05)
bench_step(quartic_reduced_dg QuarticReducedDg SYSTEM quartic-reduced METHOD dg-gonzalez STEP 0.05)
bench_step(double_pendulum_rattle DoublePendulumRattle SYSTEM double-pendulum METHOD rattle STEP 0.01)
bench_step(double_pendulum_lobatto DoublePendulumLobatto SYSTEM double-pendulum METHOD prk-lobatto STAGES 3 STEP 0.01)
bench_step(double_pendulum_murua DoublePendulumMurua SYSTEM double-pendulum METHOD prk-murua STAGES 3 STEP 0.01)

# Programs that bench_startup starts.
foreach(name first_step empty)
  add_executable(rattleback_${name} EXCLUDE_FROM_ALL bench/generated/${name}.cpp)
  target_compile_features(rattleback_${name} PRIVATE cxx_std_20)
endforeach()
rattleback_add_step(rattleback_first_step HEADER double_pendulum_rattle.hpp NAME generated::DoublePendulumRattle
                    SYSTEM double-pendulum METHOD rattle STEP 0.01)

# bench/<name>.cpp -> bench_<name>; `ninja bench` builds them all, nothing else does.
file(GLOB bench_sources CONFIGURE_DEPENDS bench/*.cpp)
add_custom_target(bench)
find_package(benchmark QUIET)
function(add_bench name source kernels)
  file(STRINGS ${source} uses_benchmark REGEX "#include <benchmark/")
  if(uses_benchmark AND NOT benchmark_FOUND)
    message(STATUS "${name} is left out: Google Benchmark was not found")
    return()
  endif()
  add_executable(${name} EXCLUDE_FROM_ALL ${source})
  target_link_libraries(${name} PRIVATE rattleback_inside rattleback_private rattleback_flags rattleback_warnings ${kernels}
                                        ${rattleback_parts})
  if(uses_benchmark)
    target_link_libraries(${name} PRIVATE benchmark::benchmark)
  endif()
  target_compile_definitions(${name} PRIVATE RATTLEBACK_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             RATTLEBACK_BENCH_FLAGS="${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_RELEASE}")
  add_dependencies(bench ${name})
endfunction()
foreach(source IN LISTS bench_sources)
  get_filename_component(name ${source} NAME_WE)
  add_bench(bench_${name} ${source} rattleback_kernels)
endforeach()
target_link_libraries(bench_table PRIVATE rattleback_generated)
add_dependencies(bench_startup rattleback_cli rattleback_first_step rattleback_empty)
target_compile_definitions(bench_startup PRIVATE RATTLEBACK_BINARY="$<TARGET_FILE:rattleback_cli>"
  RATTLEBACK_FIRST_STEP="$<TARGET_FILE:rattleback_first_step>" RATTLEBACK_EMPTY="$<TARGET_FILE:rattleback_empty>")

# bench_table_counted: what bench/instructions.py counts.
add_bench_library(rattleback_kernels_counted ${RATTLEBACK_COUNTED_MARCH} ${kernel_sources})
add_bench_library(rattleback_generated_counted ${RATTLEBACK_COUNTED_MARCH} bench/generated/steps.cpp)
target_include_directories(rattleback_generated_counted
  PRIVATE $<TARGET_PROPERTY:rattleback_generated,INCLUDE_DIRECTORIES>)
add_dependencies(rattleback_generated_counted rattleback_generated)
add_bench(bench_table_counted bench/table.cpp rattleback_kernels_counted)
target_link_libraries(bench_table_counted PRIVATE rattleback_generated_counted)

# tests/bench/ compares the kernels with the library; the timing itself is a long test, alone on the machine, of what
# `ninja bench` has built.
function(add_bench_tests)
  if(TARGET bench_tests)
    target_link_libraries(bench_tests PRIVATE rattleback_kernels)
  endif()
  foreach(name table startup ensemble ida large energy stepper)
    if(TARGET bench_${name} AND NOT RATTLEBACK_SANITIZE)
      add_test(NAME bench.${name} COMMAND bench_${name} --check)
      set_tests_properties(bench.${name} PROPERTIES TIMEOUT 300 LABELS "bench;long" RUN_SERIAL ON)
    endif()
  endforeach()
  if(TARGET bench_table_counted AND RATTLEBACK_PYTHON AND NOT RATTLEBACK_SANITIZE)
    add_test(NAME bench.instructions COMMAND ${RATTLEBACK_PYTHON} ${PROJECT_SOURCE_DIR}/bench/instructions.py --check
                                             --build ${PROJECT_BINARY_DIR})
    set_tests_properties(bench.instructions PROPERTIES TIMEOUT 900 LABELS "bench;long" SKIP_RETURN_CODE 77)
  endif()
  if(TARGET bench_stage_lanes AND RATTLEBACK_PYTHON AND NOT RATTLEBACK_SANITIZE)
    add_test(NAME bench.stage_lanes COMMAND ${RATTLEBACK_PYTHON} ${PROJECT_SOURCE_DIR}/bench/stage_lanes.py --check
                                            --build ${PROJECT_BINARY_DIR})
    set_tests_properties(bench.stage_lanes PROPERTIES TIMEOUT 300 LABELS "bench;long" SKIP_RETURN_CODE 77)
  endif()
  if(TARGET bench_work_precision AND NOT RATTLEBACK_SANITIZE)
    add_test(NAME bench.work_precision COMMAND bench_work_precision --quick)
    set_tests_properties(bench.work_precision PROPERTIES TIMEOUT 600 LABELS "bench;long")
  endif()
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
    target_link_libraries(fuzz_${name} PRIVATE rattleback_inside rattleback_private rattleback_flags rattleback_warnings)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    target_compile_definitions(fuzz_${name} PRIVATE RATTLEBACK_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    add_dependencies(fuzz fuzz_${name})
  endforeach()
endif()
