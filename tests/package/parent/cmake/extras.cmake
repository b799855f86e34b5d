# Of the parent project, and not to be taken for the module of the same name of rattleback.
if(PROJECT_NAME STREQUAL "rattleback")
  message(FATAL_ERROR "${CMAKE_CURRENT_LIST_FILE} was taken for ours")
endif()
