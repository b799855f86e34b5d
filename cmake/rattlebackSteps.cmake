# rattleback_add_step: a generated step for a target of yours. While the target is built, the model is traced, the method
# bound, and the header written; the target itself does not need the library.
#
#   rattleback_add_step(<target> HEADER <file.hpp> NAME <struct>
#     MODEL <file.hpp> FUNCTION <function>   # a header with a function that returns a rattleback::Model, or
#     SYSTEM <file.toml|name> [SET <name=value>...] [START <name=value>...]   # a model file, or a shipped system
#     [METHOD <name>] [STAGES <s>] [STEP <h>] [FORMULATION <index3|index2|ggl>] [COMPOSE <order>] [TABLEAU <file.toml>]
#     [PROJECT])
#
# #include "<file.hpp>" then finds the struct, whose name may have namespaces: demo::Pendulum. Methods that cannot be
# generated stop the build, with the reason. Options mean what they mean to `rattleback generate`.
function(rattleback_add_step target)
  cmake_parse_arguments(arg "PROJECT" "HEADER;NAME;MODEL;FUNCTION;SYSTEM;METHOD;STAGES;STEP;FORMULATION;COMPOSE;TABLEAU"
                        "SET;START" ${ARGN})
  set(place "rattleback_add_step(${target}):")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${place} '${arg_UNPARSED_ARGUMENTS}' is not one of its arguments")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "${place} there is no such target; call it behind add_executable or add_library")
  endif()
  foreach(needed HEADER NAME)
    if(NOT arg_${needed})
      message(FATAL_ERROR "${place} ${needed} is missing")
    endif()
  endforeach()
  set(depends "")
  if(arg_TABLEAU)
    get_filename_component(arg_TABLEAU "${arg_TABLEAU}" ABSOLUTE)
    list(APPEND depends "${arg_TABLEAU}")
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_steps)
  set(header ${folder}/${arg_HEADER})

  if(arg_SYSTEM AND NOT arg_MODEL AND NOT arg_FUNCTION)
    # The program writes it.
    if(NOT TARGET rattleback::program)
      message(FATAL_ERROR "${place} SYSTEM needs the program, which this build of rattleback has not "
                          "(RATTLEBACK_WITH_CLI). Set it to ON, or give MODEL and FUNCTION")
    endif()
    set(system "${arg_SYSTEM}")
    if(system MATCHES "\\.toml$")
      get_filename_component(system "${system}" ABSOLUTE)
      list(APPEND depends "${system}")
    endif()
    set(command rattleback::program generate "${system}" --name "${arg_NAME}" --output "${header}")
    foreach(key METHOD STAGES STEP FORMULATION COMPOSE TABLEAU)
      if(DEFINED arg_${key})
        string(TOLOWER ${key} option)
        list(APPEND command --${option} "${arg_${key}}")
      endif()
    endforeach()
    foreach(key SET START)
      string(TOLOWER ${key} option)
      foreach(pair IN LISTS arg_${key})
        list(APPEND command --${option} "${pair}")
      endforeach()
    endforeach()
    if(arg_PROJECT)
      list(APPEND command --project)
    endif()
    file(MAKE_DIRECTORY ${folder})
    list(APPEND depends $<TARGET_FILE:rattleback::program>)
  elseif(arg_MODEL AND arg_FUNCTION AND NOT arg_SYSTEM AND NOT arg_SET AND NOT arg_START)
    # A program is made of the model, which writes it.
    get_filename_component(model "${arg_MODEL}" ABSOLUTE)
    set(options "")
    foreach(key METHOD TABLEAU FORMULATION)
      if(arg_${key})
        string(TOLOWER ${key} field)
        string(APPEND options "  options.${field} = \"${arg_${key}}\";\n")
      endif()
    endforeach()
    foreach(key STAGES STEP COMPOSE)
      if(DEFINED arg_${key})
        string(TOLOWER ${key} field)
        string(APPEND options "  options.${field} = ${arg_${key}};\n")
      endif()
    endforeach()
    if(arg_PROJECT)
      string(APPEND options "  options.project = true;\n")
    endif()
    string(MAKE_C_IDENTIFIER "${target}_${arg_HEADER}_generator" generator)
    set(source ${folder}/${generator}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "// Written by rattleback_add_step.
#include <cstdio>
#include <exception>

#include <rattleback/rattleback.hpp>

#include \"${model}\"

int main() try {
  rattleback::Options options;
${options}  return rattleback::write_step_header(${arg_FUNCTION}(), options, \"${arg_NAME}\", \"${header}\");
} catch (const std::exception& error) {
  std::fprintf(stderr, \"%s\\n\", error.what());
  return 2;
}
")
    add_executable(${generator} EXCLUDE_FROM_ALL ${source})
    target_compile_features(${generator} PRIVATE cxx_std_20)
    target_link_libraries(${generator} PRIVATE rattleback::rattleback)
    set(command ${generator})
    list(APPEND depends ${generator})
  else()
    message(FATAL_ERROR "${place} give either MODEL and FUNCTION, or SYSTEM (with SET and START if you like)")
  endif()

  add_custom_command(OUTPUT ${header} COMMAND ${command} DEPENDS ${depends} COMMENT "Generating ${arg_HEADER}" VERBATIM)
  target_sources(${target} PRIVATE ${header})
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
