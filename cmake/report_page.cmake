# The texts of HTML pages become part of the library. What both pages share is plain and needs no tool; the scripts of the
# report of a run are bundled by Node.js, and a build without it says so when a report is asked for.
set(page_texts_source ${PROJECT_BINARY_DIR}/page_texts.cpp)
set(web ${PROJECT_SOURCE_DIR}/web)
add_custom_command(
  OUTPUT ${page_texts_source}
  COMMAND ${CMAKE_COMMAND} -DTEXTS=page_css=${web}/page.css,theme_script=${web}/theme.js,index_script=${web}/index.js
          -DNAMESPACE=rattleback::report -DOUTPUT=${page_texts_source} -P ${PROJECT_SOURCE_DIR}/cmake/embed_texts.cmake
  DEPENDS ${web}/page.css ${web}/theme.js ${web}/index.js ${PROJECT_SOURCE_DIR}/cmake/embed_texts.cmake
  COMMENT "Embedding the texts of web/" VERBATIM)
list(APPEND library_sources ${page_texts_source})
