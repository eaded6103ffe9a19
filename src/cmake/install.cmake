# The command, the library with its headers, the presets as JSON, and a CMake package.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS napkin_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS napkin EXPORT napkin-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/napkin DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/napkin)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(EXPORT napkin-targets NAMESPACE napkin::
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/napkin)

configure_package_config_file(src/cmake/napkin-config.cmake.in
  ${PROJECT_BINARY_DIR}/napkin-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/napkin)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/napkin-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/napkin-config.cmake
              ${PROJECT_BINARY_DIR}/napkin-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/napkin)
