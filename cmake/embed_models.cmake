# Writes the model files into one C++ source that defines rattleback::shipped_models():
#
#   cmake -DMODELS_DIR=models -DOUTPUT=shipped_models.cpp -P embed_models.cmake
#
# Each text becomes raw string literals of at most 8000 bytes, which the compiler joins: compilers may stop at 16 kB for
# one literal and at 64 kB for the whole.
cmake_minimum_required(VERSION 3.22)
if(NOT MODELS_DIR OR NOT OUTPUT)
  message(FATAL_ERROR "usage: cmake -DMODELS_DIR=DIR -DOUTPUT=FILE.cpp -P embed_models.cmake")
endif()

file(GLOB files ${MODELS_DIR}/*.toml)
list(TRANSFORM files REPLACE "\\.toml$" "")  # sorted by name: pendulum before pendulum-ph
list(SORT files)
set(entries "")
foreach(stem IN LISTS files)
  set(file ${stem}.toml)
  get_filename_component(key ${file} NAME_WE)
  file(READ ${file} text)
  string(FIND "${text}" ")model\"" clash)
  if(NOT clash EQUAL -1)
    message(FATAL_ERROR "${file} contains )model\", which ends the literal it is put in")
  endif()
  string(LENGTH "${text}" length)
  if(length GREATER 65000)
    message(FATAL_ERROR "${file} has more than 65000 bytes")
  endif()
  set(literals "")
  set(begin 0)
  while(begin LESS length)
    string(SUBSTRING "${text}" ${begin} 8000 piece)
    string(APPEND literals "R\"model(${piece})model\"\n")
    math(EXPR begin "${begin} + 8000")
  endwhile()
  string(APPEND entries "    {\"${key}\",\n${literals}},\n")
endforeach()

set(content "// Generated from models/*.toml by cmake/embed_models.cmake.
#include \"rattleback/model.hpp\"

namespace rattleback {

std::span<const ShippedModel> shipped_models() {
  static constexpr ShippedModel kModels[] = {
${entries}  };
  return kModels;
}

}  // namespace rattleback
")
file(WRITE ${OUTPUT} "${content}")
