# The commit that `rattleback --version` names: one small source of the program alone. It is written again when the log of
# HEAD grows, so that a commit recompiles nothing else and a build in between asks nobody. Without a repository, or inside of
# another one, there is none, unless `git archive` wrote it into archived_commit.txt.
set(commit_source ${PROJECT_BINARY_DIR}/commit.cpp)
set(commit_repository OFF)
set(commit_log "")
find_package(Git QUIET)
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --show-toplevel --git-path logs/HEAD
                  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE
                  RESULT_VARIABLE fault ERROR_QUIET)
  if(fault EQUAL 0)
    string(REPLACE "\n" ";" found "${found}")
    list(GET found 0 top)
    list(GET found 1 log)
    file(REAL_PATH "${top}" top)
    file(REAL_PATH "${PROJECT_SOURCE_DIR}" here)
    if(top STREQUAL here)
      set(commit_repository ON)
      file(REAL_PATH "${log}" log BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
      if(EXISTS "${log}")
        set(commit_log "${log}")
      endif()
    endif()
  endif()
endif()
add_custom_command(
  OUTPUT ${commit_source}
  COMMAND ${CMAKE_COMMAND} "-DGIT=$<$<BOOL:${commit_repository}>:${GIT_EXECUTABLE}>" -DSOURCE=${PROJECT_SOURCE_DIR}
          -DOUTPUT=${commit_source} -P ${PROJECT_SOURCE_DIR}/cmake/write_commit.cmake
  DEPENDS ${commit_log} ${PROJECT_SOURCE_DIR}/cmake/write_commit.cmake ${PROJECT_SOURCE_DIR}/cmake/archived_commit.txt
  COMMENT "Asking for the commit" VERBATIM)
list(APPEND cli_sources ${commit_source})
