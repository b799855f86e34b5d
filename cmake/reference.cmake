# `ninja reference` writes the pages of the public headers to <build>/reference/html; nothing else does.
find_program(RATTLEBACK_DOXYGEN doxygen)
mark_as_advanced(RATTLEBACK_DOXYGEN)
if(NOT RATTLEBACK_DOXYGEN)
  message(STATUS "The target reference is left out: doxygen was not found")
  return()
endif()
add_custom_target(reference
  COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/reference
  COMMAND ${CMAKE_COMMAND} -E env RATTLEBACK_REFERENCE=${PROJECT_BINARY_DIR}/reference
          RATTLEBACK_VERSION=${PROJECT_VERSION} ${RATTLEBACK_DOXYGEN} docs/reference/Doxyfile
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
  COMMENT "Writing reference/html/index.html"
  VERBATIM)
