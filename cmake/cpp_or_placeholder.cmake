# A library needs a source: an empty one stands in while its folder has none.
function(cpp_or_placeholder list_name)
  if(NOT ${list_name})
    set(file ${PROJECT_BINARY_DIR}/${list_name}_placeholder.cpp)
    file(CONFIGURE OUTPUT ${file} CONTENT "")
    set(${list_name} ${file} PARENT_SCOPE)
  endif()
endfunction()
