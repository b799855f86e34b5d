# Model files, recipes and starting files become part of the library: embed_files.cmake writes each folder into one source, again whenever
# one of its files changes.
function(rattleback_ship folder)
  cmake_parse_arguments(arg "" "HEADER;NAMESPACE;TYPE;FUNCTION" "" ${ARGN})
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*)
  set(source ${PROJECT_BINARY_DIR}/${arg_FUNCTION}.cpp)
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake)
  add_custom_command(
    OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${PROJECT_SOURCE_DIR}/${folder} -DHEADER=${arg_HEADER}
            -DNAMESPACE=${arg_NAMESPACE} -DTYPE=${arg_TYPE} -DFUNCTION=${arg_FUNCTION} -DOUTPUT=${source} -P ${script}
    DEPENDS ${files} ${script}
    COMMENT "Embedding ${folder}/" VERBATIM)
  set(library_sources ${library_sources} ${source} PARENT_SCOPE)
endfunction()

rattleback_ship(models HEADER rattleback/model.hpp NAMESPACE rattleback TYPE ShippedModel FUNCTION shipped_models)
rattleback_ship(experiments HEADER reproduce/recipe.hpp NAMESPACE rattleback::reproduce TYPE ShippedRecipe
                FUNCTION shipped_recipes)
rattleback_ship(starters HEADER model/starters.hpp NAMESPACE rattleback::front TYPE Starter FUNCTION starters)
