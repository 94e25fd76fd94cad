# `cmake --install`: the libraries, their headers, the command, and what find_package(sinew) needs.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(layers GLOBAL PROPERTY SINEW_LAYERS)
list(TRANSFORM layers PREPEND sinew_ OUTPUT_VARIABLE libraries)
install(TARGETS ${libraries} sinew_all EXPORT sinewTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/sinew DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "apps" EXCLUDE PATTERN "wasm" EXCLUDE)
if(TARGET sinew)
  install(TARGETS sinew RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET sinew-import)
  install(TARGETS sinew-import RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)
install(EXPORT sinewTargets NAMESPACE sinew:: DESTINATION ${package})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/sinewConfig.cmake.in
  ${PROJECT_BINARY_DIR}/sinewConfig.cmake INSTALL_DESTINATION ${package})
# Before 1.0 a minor version may break its users.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sinewConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sinewConfig.cmake ${PROJECT_BINARY_DIR}/sinewConfigVersion.cmake
  DESTINATION ${package})
