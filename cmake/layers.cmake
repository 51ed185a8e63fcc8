# SPDX-License-Identifier: Apache-2.0
# Layers are static libraries that may link only what is below them; librowline is made of all of them.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

set(ROWLINE_WARNINGS
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes
  -Wmissing-prototypes -Wvla -Wformat=2 -Wundef -Wwrite-strings -Wpointer-arith -Wcast-align
  -Werror)

add_library(rwl_options INTERFACE)
target_compile_options(rwl_options INTERFACE ${ROWLINE_WARNINGS})
target_compile_definitions(rwl_options INTERFACE
  _GNU_SOURCE _FILE_OFFSET_BITS=64 ROWLINE_VERSION="${PROJECT_VERSION}")
target_include_directories(rwl_options INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
target_link_libraries(rwl_options INTERFACE Threads::Threads m)

# rwl_package(NAME ID-VARIABLE): finds a library by pkg-config as the target PkgConfig::<id>.
function(rwl_package package id_variable)
  string(MAKE_C_IDENTIFIER ${package} id)
  set(${id_variable} ${id} PARENT_SCOPE)
  if(TARGET PkgConfig::${id})
    return()
  endif()
  if(NOT package STREQUAL snappy)
    pkg_check_modules(${id} REQUIRED IMPORTED_TARGET GLOBAL ${package})
    return()
  endif()
  # Not every snappy comes with a .pc file, and its own names no C++ runtime, which a static one needs.
  pkg_check_modules(${id} QUIET IMPORTED_TARGET GLOBAL ${package})
  if(NOT TARGET PkgConfig::${id})
    find_path(SNAPPY_INCLUDE_DIR snappy-c.h REQUIRED)
    find_library(SNAPPY_LIBRARY snappy REQUIRED)
    add_library(PkgConfig::${id} INTERFACE IMPORTED GLOBAL)
    target_include_directories(PkgConfig::${id} INTERFACE ${SNAPPY_INCLUDE_DIR})
    target_link_libraries(PkgConfig::${id} INTERFACE ${SNAPPY_LIBRARY})
    if(SNAPPY_LIBRARY MATCHES "\\.a$")
      target_link_libraries(PkgConfig::${id} INTERFACE stdc++)
    endif()
  endif()
endfunction()

# rwl_layer(NAME SOURCES a.c ... [DEPENDS lower ...] [PACKAGES pkg-config names ...])
function(rwl_layer name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS;PACKAGES" ${ARGN})
  if(NOT arg_SOURCES)
    return()
  endif()
  add_library(rwl_${name} STATIC ${arg_SOURCES})
  target_link_libraries(rwl_${name} PUBLIC rwl_options)
  foreach(lower ${arg_DEPENDS})
    if(TARGET rwl_${lower}) # a layer may still be without sources
      target_link_libraries(rwl_${name} PUBLIC rwl_${lower})
    endif()
  endforeach()
  foreach(package ${arg_PACKAGES})
    rwl_package(${package} id)
    target_link_libraries(rwl_${name} PUBLIC PkgConfig::${id})
    set_property(GLOBAL APPEND PROPERTY ROWLINE_PACKAGES ${package})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY ROWLINE_LAYERS rwl_${name})
endfunction()

# librowline, static and shared, from the objects of every layer.
function(rwl_library)
  get_property(layers GLOBAL PROPERTY ROWLINE_LAYERS)
  set(objects)
  foreach(layer ${layers})
    list(APPEND objects $<TARGET_OBJECTS:${layer}>)
  endforeach()
  foreach(kind STATIC SHARED)
    string(TOLOWER rowline_${kind} target)
    add_library(${target} ${kind} ${objects})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME rowline LINKER_LANGUAGE C)
    target_include_directories(${target} PUBLIC
      $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
    foreach(layer ${layers})
      get_target_property(libs ${layer} INTERFACE_LINK_LIBRARIES)
      foreach(lib ${libs})
        if(lib MATCHES "^PkgConfig::|^Threads::")
          target_link_libraries(${target} PRIVATE ${lib})
        endif()
      endforeach()
    endforeach()
    target_link_libraries(${target} PRIVATE Threads::Threads m)
  endforeach()
  set_target_properties(rowline_shared PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)
endfunction()

# check's own macros are outside the strictest warnings. Linked last: its options must follow rwl_options'.
add_library(rwl_test_options INTERFACE)
target_compile_options(rwl_test_options INTERFACE -Wno-pedantic -Wno-conversion -Wno-sign-conversion
  -include ${CMAKE_SOURCE_DIR}/tests/support/marks.h)

# rwl_unit(FOLDER SOURCES test_a.c ...): one check program for the modules of one layer; it links that
# layer and what is below it, nothing else.
function(rwl_unit layer)
  cmake_parse_arguments(arg "" "" "SOURCES;EXTRA" ${ARGN})
  if(NOT arg_SOURCES)
    return()
  endif()
  pkg_check_modules(CHECK REQUIRED IMPORTED_TARGET GLOBAL check)
  add_executable(test_${layer} ${arg_SOURCES})
  target_link_libraries(test_${layer} PRIVATE rwl_${layer} ${arg_EXTRA} PkgConfig::CHECK rwl_test_options)
  target_compile_definitions(test_${layer} PRIVATE
    TESTS_DIR="${CMAKE_SOURCE_DIR}/tests" FIXTURES_DIR="${CMAKE_SOURCE_DIR}/../shared/fixtures")
  add_test(NAME unit_${layer} COMMAND test_${layer})
endfunction()
