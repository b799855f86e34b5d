# cmake -DGIT=git -DSOURCE=folder -DOUTPUT=commit.cpp -P write_commit.cmake: the commit of a tree as a function; "" where nobody
# knows it. GIT is empty outside of a repository.
set(commit "")
if(GIT)
  execute_process(COMMAND ${GIT} rev-parse --short=10 HEAD WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE commit
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
else()
  file(STRINGS ${SOURCE}/cmake/archived_commit.txt archived REGEX "^[0-9a-f]+$")
  if(archived)
    string(SUBSTRING "${archived}" 0 10 commit)
  endif()
endif()
file(WRITE ${OUTPUT} "// Written by cmake/write_commit.cmake.
#include \"commit.hpp\"

const char* rattleback::cli::commit() { return \"${commit}\"; }
")
