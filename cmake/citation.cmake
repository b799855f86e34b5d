# What is to be cited becomes part of the library, as the files say it.
if(NOT EXISTS ${PROJECT_SOURCE_DIR}/CITATION.cff)
  message(FATAL_ERROR "CITATION.cff is missing")
endif()
file(STRINGS ${PROJECT_SOURCE_DIR}/CITATION.cff cited_version REGEX "^version: ")
if(NOT cited_version STREQUAL "version: ${PROJECT_VERSION}")
  message(FATAL_ERROR "CITATION.cff and CMakeLists.txt name different versions: ${cited_version}, ${PROJECT_VERSION}")
endif()
set(citation_source ${PROJECT_BINARY_DIR}/citation_texts.cpp)
set(citation_file ${PROJECT_SOURCE_DIR}/CITATION.cff)
set(references_file ${PROJECT_SOURCE_DIR}/docs/references.bib)
add_custom_command(
  OUTPUT ${citation_source}
  COMMAND ${CMAKE_COMMAND} -DTEXTS=citation_file=${citation_file},references_file=${references_file}
          -DNAMESPACE=rattleback::report -DOUTPUT=${citation_source} -P ${PROJECT_SOURCE_DIR}/cmake/embed_texts.cmake
  DEPENDS ${citation_file} ${references_file} ${PROJECT_SOURCE_DIR}/cmake/embed_texts.cmake
  COMMENT "Embedding what is to be cited" VERBATIM)
list(APPEND library_sources ${citation_source})
