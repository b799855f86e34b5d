# The model files become part of the library: embed_models.cmake writes them into one source that defines
# shipped_models(), again whenever one of them changes.
file(GLOB model_files CONFIGURE_DEPENDS models/*)
if(EXISTS ${PROJECT_SOURCE_DIR}/cmake/embed_models.cmake)
  set(shipped_models_source ${PROJECT_BINARY_DIR}/shipped_models.cpp)
  add_custom_command(
    OUTPUT ${shipped_models_source}
    COMMAND ${CMAKE_COMMAND} -DMODELS_DIR=${PROJECT_SOURCE_DIR}/models -DOUTPUT=${shipped_models_source}
            -P ${PROJECT_SOURCE_DIR}/cmake/embed_models.cmake
    DEPENDS ${model_files} ${PROJECT_SOURCE_DIR}/cmake/embed_models.cmake
    COMMENT "Embedding models/" VERBATIM)
  list(APPEND library_sources ${shipped_models_source})
endif()
