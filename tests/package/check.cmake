# Installs the build in BUILD_DIR to a fresh prefix, then configures, builds and runs the project beside this file.
# Also with SHARED: what such a project then may look for is nothing.
set(work ${BUILD_DIR}/package_test)
file(REMOVE_RECURSE ${work})

function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "status ${status} from: ${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

step(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${work}/prefix)
# The headers alone must compile: nothing private may leak into them, Eigen least of all.
file(GLOB headers ${work}/prefix/include/rattleback/*.hpp)
foreach(header IN LISTS headers)
  file(STRINGS ${header} leaks REGEX "#include *[<\"](Eigen|fmt|nlohmann|toml|hdf5|klu|CLI)[/+.]")
  if(leaks)
    message(FATAL_ERROR "${header} includes a private dependency: ${leaks}")
  endif()
endforeach()

set(more "")
find_path(EIGEN Eigen/Core PATH_SUFFIXES eigen3)
file(STRINGS /proc/cpuinfo avx REGEX "^flags.* avx ")
if(EIGEN AND avx)
  list(APPEND more -DEIGEN=${EIGEN})
endif()
find_program(MPICXX NAMES mpicxx.openmpi mpicxx)
find_program(MPIRUN mpirun)
if(MPICXX AND MPIRUN AND EXISTS ${BUILD_DIR}/rattleback_mpi.so)
  list(APPEND more -DMPICXX=${MPICXX})
endif()
step(${CMAKE_COMMAND} -S ${SOURCE_DIR}/tests/package -B ${work}/build -G ${GENERATOR}
     -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_PREFIX_PATH=${work}/prefix
     -DSLEIGH=${SOURCE_DIR}/examples/sleigh.cpp -DIN_C=${SOURCE_DIR}/examples/pendulum.c -DNOTHING_IS_LOOKED_FOR=${SHARED} ${more})
step(${CMAKE_COMMAND} --build ${work}/build)
step(${work}/build/sleigh)
step(${work}/build/in_c)
step(${work}/build/host ${work}/build/libplugin.so)
file(MAKE_DIRECTORY ${work}/cache)
step(${work}/build/guest ${work}/cache)
if(NOT output STREQUAL "")
  message(FATAL_ERROR "the library printed: ${output}")
endif()
if(EXISTS ${work}/build/own_eigen)
  step(${work}/build/own_eigen)
endif()
if(EXISTS ${work}/build/own_mpi)
  file(GLOB_RECURSE module ${work}/prefix/rattleback_mpi.so)
  step(${CMAKE_COMMAND} -E env OMPI_MCA_btl_vader_single_copy_mechanism=none RATTLEBACK_MPI_MODULE=${module}
       ${MPIRUN} --allow-run-as-root --oversubscribe -n 2 ${work}/build/own_mpi)
endif()

# Generated steps: the package's rattleback_add_step.
step(${CMAKE_COMMAND} -S ${SOURCE_DIR}/examples/generated -B ${work}/generated -G ${GENERATOR}
     -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_PREFIX_PATH=${work}/prefix)
step(${CMAKE_COMMAND} --build ${work}/generated)
step(${work}/generated/generated)

# Without CMake. The prefix is found from where the file lies.
find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  file(GLOB_RECURSE description ${work}/prefix/rattleback.pc)
  get_filename_component(folder ${description} DIRECTORY)
  step(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${folder} ${PKG_CONFIG} --cflags --libs "rattleback >= 0.1")
  string(STRIP "${output}" flags)
  separate_arguments(flags)
  step(${CXX} -std=c++20 ${SOURCE_DIR}/examples/sleigh.cpp -o ${work}/without_cmake ${flags}
       -Wl,-rpath,${folder}/..)
  step(${work}/without_cmake)
endif()
