# How libraries and tests are declared. Headers, sources and tests are those of the project that calls, which has its warnings
# in <project>_warnings (Warnings.cmake).

set(layer_modules ${CMAKE_CURRENT_LIST_DIR})

# What nearly every source includes takes half a second to read: a build of several sources at once (CMAKE_UNITY_BUILD) has it
# precompiled, once for all layers of a project. Any other build shows that each file includes what it needs.
set(standard_headers <algorithm> <array> <chrono> <cmath> <cstdint> <cstring> <filesystem> <functional> <map> <memory>
  <mutex> <optional> <set> <span> <string> <string_view> <system_error> <utility> <variant> <vector>)
function(precompile_standard_headers name)
  if(NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  # GCC takes them for sources that are compiled with the same options.
  set(owner ${PROJECT_NAME}_standard_headers${ARGN})
  if(NOT TARGET ${owner})
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/standard_headers.cpp CONTENT "")
    add_library(${owner} OBJECT ${PROJECT_BINARY_DIR}/standard_headers.cpp)
    target_link_libraries(${owner} PRIVATE ${PROJECT_NAME}_warnings)
    target_compile_options(${owner} PRIVATE ${ARGN})
    target_precompile_headers(${owner} PRIVATE ${standard_headers})
  endif()
  target_precompile_headers(${name} REUSE_FROM ${owner})
  # With precompiled headers, GCC 12 reports its bug 105651 (Warnings.cmake) under these names as well.
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>)
endfunction()

# layer_library(<name> SOURCES a.cpp ... [PUBLIC lib ...] [PRIVATE lib ...] [ALONE a.cpp ...] [COLD])
# One static library per layer. PUBLIC are the layers below it, PRIVATE the third-party libraries no header mentions. ALONE are
# sources that are not compiled together with others, COLD is a layer where no time is spent: optimised for size it takes a third
# less of it, and no more time to compile.
function(layer_library name)
  cmake_parse_arguments(layer "COLD" "" "SOURCES;PUBLIC;PRIVATE;ALONE" ${ARGN})
  add_library(${name} STATIC ${layer_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/include PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PUBLIC ${layer_PUBLIC} PRIVATE ${PROJECT_NAME}_warnings ${layer_PRIVATE})
  set_source_files_properties(${layer_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set(options "")
  if(layer_COLD AND CMAKE_BUILD_TYPE STREQUAL "Release")
    set(options -Os)
  endif()
  target_compile_options(${name} PRIVATE ${options})
  precompile_standard_headers(${name} ${options})
endfunction()

# What nearly every test includes takes a second to read: it is precompiled with the first test of a project, for all of them.
# That one must have no definitions of its own: GCC would not take its headers for the others.
set(test_headers <gmock/gmock.h> <gtest/gtest.h> <filesystem> <fstream> <functional> <map> <optional> <regex> <string> <thread>
  <variant> <vector>)
function(precompile_test_headers name)
  get_property(owner GLOBAL PROPERTY ${PROJECT_NAME}_test_headers_owner)
  if(owner)
    target_precompile_headers(${name} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${name} PRIVATE ${test_headers})
    set_property(GLOBAL PROPERTY ${PROJECT_NAME}_test_headers_owner ${name})
  endif()
endfunction()

# measurement(<name> SOURCES a.cpp ... [LIBRARIES lib ...])
# A program that is run by hand and prints figures. No test needs it: the target "measurements" builds them all.
function(measurement name)
  cmake_parse_arguments(measured "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL ${measured_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${measured_LIBRARIES} ${PROJECT_NAME}_warnings)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  if(NOT TARGET measurements)
    add_custom_target(measurements)
  endif()
  add_dependencies(measurements ${name})
endfunction()

# test_program(<name> SOURCES a_test.cpp ... [LIBRARIES lib ...] [LABELS label ...] [TIMEOUT seconds] [ALONE a_test.cpp ...]
#   [BY_SUITE])
# One GoogleTest executable; each TEST is a CTest of its own, with 300 seconds unless told otherwise, or each suite: where there
# are hundreds of quick ones, starting the program costs more than they do. ALONE are
# files that use a name for one thing that another file uses for something else.
function(test_program name)
  cmake_parse_arguments(test "BY_SUITE" "TIMEOUT" "SOURCES;LIBRARIES;LABELS;ALONE" ${ARGN})
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 300)
  endif()
  add_executable(${name} ${test_SOURCES})
  set_source_files_properties(${test_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${test_LIBRARIES} ${PROJECT_NAME}_warnings GTest::gmock GTest::gtest_main)
  # The tests' own code need not be fast, and compiles in half the time when it is not optimised. (At -O1 and with the
  # precompiled header, GCC 12 reports its bug 105651 under other names than the one that Warnings.cmake turns off.)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O0>)
  precompile_test_headers(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  if(test_BY_SUITE)
    set(program ${CMAKE_BINARY_DIR}/tests/${name})
    configure_file(${layer_modules}/DiscoverSuites.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/${name}_suites.cmake @ONLY)
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}_suites.cmake)
    return()
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT ${test_TIMEOUT} LABELS "${test_LABELS}")
endfunction()
