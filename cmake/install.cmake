# SPDX-License-Identifier: Apache-2.0
# What `make install` leaves: program, libraries, headers, pkg-config and CMake packages, man pages.

include(CMakePackageConfigHelpers)

# What a static librowline needs beside itself, as flags.
get_property(packages GLOBAL PROPERTY ROWLINE_PACKAGES)
list(REMOVE_DUPLICATES packages)
set(flags)
foreach(package ${packages})
  string(REGEX REPLACE "^lib" "" lib ${package})
  list(APPEND flags -l${lib})
endforeach()
list(APPEND flags -pthread -lm)
list(JOIN flags " " ROWLINE_PRIVATE_LIBS)

configure_file(${CMAKE_CURRENT_LIST_DIR}/rowline.pc.in rowline.pc @ONLY)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/rowline-config.cmake.in rowline-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/rowline
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(rowline-config-version.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS rowline_static rowline_shared
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(ROWLINE_PROGRAM)
  install(TARGETS ${ROWLINE_PROGRAM} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/rowline DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/rowline.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/rowline-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/rowline-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/rowline)
file(GLOB pages ${PROJECT_SOURCE_DIR}/docs/man/*.1)
if(pages)
  install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
