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

# web/src -> one script and one style sheet. Nothing is written into the source tree.
set(report_bundle_source ${PROJECT_BINARY_DIR}/web/report_bundle.cpp)
file(GLOB report_sources CONFIGURE_DEPENDS ${web}/src/*)
add_custom_command(
  OUTPUT ${report_bundle_source}
  COMMAND ${CMAKE_COMMAND} -DREPORT=${RATTLEBACK_WITH_REPORT} -DWEB=${web} -DFOLDER=${PROJECT_BINARY_DIR}/web
          -DOUTPUT=${report_bundle_source} -DEMBED=${PROJECT_SOURCE_DIR}/cmake/embed_texts.cmake
          -P ${PROJECT_SOURCE_DIR}/cmake/bundle_report.cmake
  DEPENDS ${report_sources} ${web}/package.json ${web}/package-lock.json ${web}/build.mjs
          ${PROJECT_SOURCE_DIR}/cmake/bundle_report.cmake ${PROJECT_SOURCE_DIR}/cmake/embed_texts.cmake
  COMMENT "Bundling the page of the report" VERBATIM)
list(APPEND library_sources ${report_bundle_source})
