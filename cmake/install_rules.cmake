# The installed package: headers, library, program, and rattlebackConfig.cmake for find_package(rattleback).
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rattleback)

install(TARGETS rattleback EXPORT rattlebackTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(cli_sources)
  install(TARGETS rattleback_cli EXPORT rattlebackTargets RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES ${public_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rattleback)
install(EXPORT rattlebackTargets NAMESPACE rattleback:: DESTINATION ${package_dir})

configure_package_config_file(cmake/rattlebackConfig.cmake.in ${PROJECT_BINARY_DIR}/rattlebackConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/rattlebackConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rattlebackConfig.cmake ${PROJECT_BINARY_DIR}/rattlebackConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/dependencies.cmake ${PROJECT_SOURCE_DIR}/cmake/rattlebackSteps.cmake
        DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/NOTICE
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/rattleback)
