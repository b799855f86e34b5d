# The libraries we link, as targets. Used by our build and, because the static library passes them on to whoever links
# it, also by the installed package of a static one. Found by name instead of by find_package(HDF5) and
# find_package(SUNDIALS): those run compilers, insist on OpenMP, and cost seconds at every configuration.

set(rattleback_parts "")  # those of this build

# rattleback_library(<target> INCLUDE <header> [SUFFIXES <dir>...] NAMES <lib>... [PRIVATE_NAMES <lib>...])
# makes rattleback::<target>. Executables take the archives lib<name>.a where all of NAMES have one (the shared HDF5
# alone loads 30 further libraries: 8 ms at each start); shared libraries take the shared ones, because the archives
# are not position-independent. PRIVATE_NAMES are needed behind the archives only.
function(rattleback_library target)
  cmake_parse_arguments(arg "" "INCLUDE" "SUFFIXES;NAMES;PRIVATE_NAMES" ${ARGN})
  find_path(RATTLEBACK_${target}_INCLUDE ${arg_INCLUDE} PATH_SUFFIXES ${arg_SUFFIXES})
  mark_as_advanced(RATTLEBACK_${target}_INCLUDE)
  set(missing "")
  if(NOT RATTLEBACK_${target}_INCLUDE)
    list(APPEND missing ${arg_INCLUDE})
  endif()
  set(shared "")
  set(archives "")
  foreach(name IN LISTS arg_NAMES arg_PRIVATE_NAMES)
    find_library(RATTLEBACK_${name}_SHARED ${name} PATH_SUFFIXES ${arg_SUFFIXES})
    find_library(RATTLEBACK_${name}_ARCHIVE lib${name}.a PATH_SUFFIXES ${arg_SUFFIXES})
    mark_as_advanced(RATTLEBACK_${name}_SHARED RATTLEBACK_${name}_ARCHIVE)
    if(RATTLEBACK_${name}_SHARED AND name IN_LIST arg_NAMES)
      list(APPEND shared ${RATTLEBACK_${name}_SHARED})
    elseif(name IN_LIST arg_NAMES)
      list(APPEND missing lib${name})
    endif()
    list(APPEND archives ${RATTLEBACK_${name}_ARCHIVE})
  endforeach()
  if(missing)
    list(JOIN missing ", " missing)
    message(FATAL_ERROR "rattleback needs ${missing}, which was not found. "
                        "packages.txt in the source tree names the Debian packages.")
  endif()
  if(NOT RATTLEBACK_STATIC_DEPENDENCIES OR archives MATCHES "NOTFOUND")
    set(archives ${shared})
  endif()
  # Of all folders of a project: those who link the static library look for it where they are.
  add_library(rattleback::${target} INTERFACE IMPORTED GLOBAL)
  set(is_executable $<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>)
  target_include_directories(rattleback::${target} SYSTEM INTERFACE ${RATTLEBACK_${target}_INCLUDE})
  target_link_libraries(rattleback::${target} INTERFACE "$<IF:${is_executable},${archives},${shared}>"
                                                        m ${CMAKE_DL_LIBS})
endfunction()

# libhdf5 for Debian's serial build lives in its own folders; elsewhere it is a plain libhdf5.
if(RATTLEBACK_WITH_HDF5)
  list(APPEND rattleback_parts rattleback::hdf5)
  if(NOT TARGET rattleback::hdf5)
    rattleback_library(hdf5 INCLUDE hdf5.h SUFFIXES hdf5/serial NAMES hdf5 PRIVATE_NAMES sz aec z)
  endif()
endif()
if(RATTLEBACK_WITH_SUNDIALS)
  list(APPEND rattleback_parts rattleback::sundials)
  if(NOT TARGET rattleback::sundials)
    rattleback_library(sundials INCLUDE sundials/sundials_config.h
      NAMES sundials_arkode sundials_cvode sundials_ida sundials_nvecserial sundials_sunmatrixdense
            sundials_sunlinsoldense sundials_generic)
  endif()
endif()
list(APPEND rattleback_parts rattleback::klu)
if(NOT TARGET rattleback::klu)
  rattleback_library(klu INCLUDE klu.h SUFFIXES suitesparse NAMES klu amd colamd btf suitesparseconfig)
endif()
