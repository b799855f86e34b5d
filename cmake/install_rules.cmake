# The installed package: headers, library, program, rattlebackConfig.cmake for find_package(rattleback), and rattleback.pc.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rattleback)
get_target_property(rattleback_type rattleback TYPE)

install(TARGETS rattleback EXPORT rattlebackTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(RATTLEBACK_WITH_CLI)
  install(TARGETS rattleback_cli EXPORT rattlebackTargets RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES ${public_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rattleback)
install(EXPORT rattlebackTargets NAMESPACE rattleback:: DESTINATION ${package_dir})

configure_package_config_file(${rattleback_cmake}/rattlebackConfig.cmake.in ${PROJECT_BINARY_DIR}/rattlebackConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/rattlebackConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rattlebackConfig.cmake ${PROJECT_BINARY_DIR}/rattlebackConfigVersion.cmake
              ${rattleback_cmake}/dependencies.cmake ${rattleback_cmake}/rattlebackSteps.cmake
        DESTINATION ${package_dir})

# For pkg-config. Who links the static library needs the others, too, and should not have to say --static for that. The
# shared ones of them: their archives are not for plugins.
set(public_libraries "")
set(private_libraries "")
foreach(name hdf5 sundials_arkode sundials_ida sundials_nvecserial sundials_sunmatrixdense sundials_sunlinsoldense
             sundials_generic klu)
  if((name STREQUAL "hdf5" AND NOT RATTLEBACK_WITH_HDF5) OR (name MATCHES "sundials" AND NOT RATTLEBACK_WITH_SUNDIALS))
    continue()
  endif()
  string(APPEND private_libraries " ${RATTLEBACK_${name}_SHARED}")
endforeach()
string(APPEND private_libraries " -pthread -ldl -lm")
if(rattleback_type STREQUAL "STATIC_LIBRARY")
  set(public_libraries "${private_libraries} -lstdc++")
  set(private_libraries "")
endif()
file(RELATIVE_PATH prefix_from_pkgconfig /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${rattleback_cmake}/rattleback.pc.in ${PROJECT_BINARY_DIR}/rattleback.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/rattleback.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/NOTICE
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/rattleback)
