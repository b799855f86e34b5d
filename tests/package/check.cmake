# Installs the build in BUILD_DIR to a fresh prefix, then configures, builds and runs the project beside this file.
set(work ${BUILD_DIR}/package_test)
file(REMOVE_RECURSE ${work})

function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "status ${status} from: ${command}\n${output}")
  endif()
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
step(${CMAKE_COMMAND} -S ${SOURCE_DIR}/tests/package -B ${work}/build -G ${GENERATOR}
     -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_PREFIX_PATH=${work}/prefix
     -DSOURCE=${SOURCE_DIR}/examples/sleigh.cpp)
step(${CMAKE_COMMAND} --build ${work}/build)
step(${work}/build/sleigh)
# Generated steps: the package's rattleback_add_step.
step(${CMAKE_COMMAND} -S ${SOURCE_DIR}/examples/generated -B ${work}/generated -G ${GENERATOR}
     -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_PREFIX_PATH=${work}/prefix)
step(${CMAKE_COMMAND} --build ${work}/generated)
step(${work}/generated/generated)
