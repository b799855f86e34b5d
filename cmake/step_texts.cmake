# What generated headers repeat of the library (src/engine/text/header_runtime.cpp), as texts.
set(step_texts_source ${PROJECT_BINARY_DIR}/step_texts.cpp)
set(step_texts "")
set(step_text_files "")
foreach(file linalg/dense linalg/largest step/stopping step/solving step/convergence step/block_newton step/starting_values
             system/angles engine/step_loop engine/text/written_steps)
  get_filename_component(name ${file} NAME)
  list(APPEND step_texts ${name}=${PROJECT_SOURCE_DIR}/src/${file}.hpp)
  list(APPEND step_text_files ${PROJECT_SOURCE_DIR}/src/${file}.hpp)
endforeach()
list(JOIN step_texts "," step_texts)
add_custom_command(
  OUTPUT ${step_texts_source}
  COMMAND ${CMAKE_COMMAND} -DTEXTS=${step_texts} -DNAMESPACE=rattleback::step_texts -DOUTPUT=${step_texts_source}
          -P ${PROJECT_SOURCE_DIR}/cmake/embed_texts.cmake
  DEPENDS ${step_text_files} ${PROJECT_SOURCE_DIR}/cmake/embed_texts.cmake
  COMMENT "Embedding what generated headers repeat" VERBATIM)
list(APPEND library_sources ${step_texts_source})
