# Bundles the scripts of the HTML report and writes them into a C++ source. Never fails: without Node.js, or when its
# packages cannot be fetched, the source says why there is no report, and the program repeats it.
#
#   cmake -DREPORT=ON -DWEB=web -DFOLDER=build/web -DOUTPUT=build/web/report_bundle.cpp -DEMBED=cmake/embed_texts.cmake
#         -P bundle_report.cmake
cmake_minimum_required(VERSION 3.22)
file(MAKE_DIRECTORY ${FOLDER})
set(reason "")

# Looked for at each try, not once at configuration: who installs Node.js later only builds again.
find_program(NODE node)
find_program(NPM npm)
if(NOT REPORT)
  set(reason "it was built with RATTLEBACK_WITH_REPORT=OFF")
elseif(NOT NODE OR NOT NPM)
  set(reason "Node.js and npm were not found when it was built")
endif()

# npm ci only when the list of packages has changed since it last worked.
if(NOT reason)
  file(SHA256 ${WEB}/package-lock.json wanted)
  set(have "")
  if(EXISTS ${FOLDER}/packages.stamp)
    file(READ ${FOLDER}/packages.stamp have)
  endif()
  if(NOT have STREQUAL wanted)
    file(COPY ${WEB}/package.json ${WEB}/package-lock.json DESTINATION ${FOLDER})
    # Without the scripts of packages: the bundle needs none, and they could do anything.
    execute_process(COMMAND ${NPM} ci --ignore-scripts --omit=dev --no-audit --no-fund --fetch-retries=1
                            --fetch-retry-mintimeout=1000 --fetch-timeout=30000
                    WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE failed OUTPUT_FILE ${FOLDER}/npm.log
                    ERROR_FILE ${FOLDER}/npm.log TIMEOUT 300)
    if(failed)
      set(reason "npm could not fetch its packages when it was built (npm.log in the folder web of the build tells more)")
    else()
      file(WRITE ${FOLDER}/packages.stamp ${wanted})
    endif()
  endif()
endif()

if(NOT reason)
  execute_process(COMMAND ${NODE} ${WEB}/build.mjs ${FOLDER} RESULT_VARIABLE failed OUTPUT_FILE ${FOLDER}/bundle.log
                  ERROR_FILE ${FOLDER}/bundle.log TIMEOUT 300)
  if(failed)
    set(reason "its scripts could not be bundled when it was built (bundle.log in the folder web of the build tells more)")
  endif()
endif()

file(WRITE ${FOLDER}/missing.txt "")
if(reason)
  if(REPORT)
    message(WARNING "This build has no HTML report: ${reason}")
  endif()
  string(APPEND reason ". Install Node.js 18 or later with npm, remove the folder web of the build (build/web), and build "
                       "again. Until then: --plot FILE.svg, --output FILE.h5 or --json")
  file(WRITE ${FOLDER}/missing.txt "${reason}")
  foreach(name report.js report.css licences.txt)
    file(WRITE ${FOLDER}/${name} "")
  endforeach()
endif()

string(CONCAT texts "report_script=${FOLDER}/report.js,report_css=${FOLDER}/report.css,"
                    "report_licences=${FOLDER}/licences.txt,report_missing=${FOLDER}/missing.txt")
execute_process(COMMAND ${CMAKE_COMMAND} -DTEXTS=${texts} -DNAMESPACE=rattleback::report -DOUTPUT=${OUTPUT} -P ${EMBED}
                COMMAND_ERROR_IS_FATAL ANY)
