# mpi/module.c -> rattleback_mpi.so beside the program, loaded only under mpirun. Left out where there is no OpenMPI: found by
# its compiler wrapper, because find_package(MPI) compiles programs at every configuration and asks for a C compiler.
set_source_files_properties(src/study/ranks.cpp PROPERTIES COMPILE_DEFINITIONS RATTLEBACK_LIBDIR="${CMAKE_INSTALL_LIBDIR}")
if(NOT RATTLEBACK_WITH_MPI)
  return()
endif()
find_program(RATTLEBACK_MPICC NAMES mpicc.openmpi mpicc)
mark_as_advanced(RATTLEBACK_MPICC)
if(NOT RATTLEBACK_MPICC OR RATTLEBACK_SANITIZE)
  message(STATUS "mpicc was not found: ensembles do not run under mpirun")
  return()
endif()
set(mpi_module ${PROJECT_BINARY_DIR}/rattleback_mpi.so)
add_custom_command(OUTPUT ${mpi_module}
  COMMAND ${RATTLEBACK_MPICC} -O2 -fPIC -shared -Wall -Wextra -o ${mpi_module} ${PROJECT_SOURCE_DIR}/mpi/module.c
  DEPENDS ${PROJECT_SOURCE_DIR}/mpi/module.c COMMENT "Building rattleback_mpi.so" VERBATIM)
add_custom_target(rattleback_mpi ALL DEPENDS ${mpi_module})
if(RATTLEBACK_WITH_CLI)
  add_dependencies(rattleback_cli rattleback_mpi)
endif()
if(RATTLEBACK_INSTALL)
  install(FILES ${mpi_module} DESTINATION ${CMAKE_INSTALL_LIBDIR}/rattleback)
endif()
