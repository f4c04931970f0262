# How libraries and tests are declared. Headers, sources and tests are those of the project that calls, which has its warnings
# in <project>_warnings (Warnings.cmake).

# layer_library(<name> SOURCES a.cpp ... [PUBLIC lib ...] [PRIVATE lib ...])
# One static library per layer. PUBLIC are the layers below it, PRIVATE the third-party libraries no header mentions.
function(layer_library name)
  cmake_parse_arguments(layer "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${layer_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/include PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PUBLIC ${layer_PUBLIC} PRIVATE ${PROJECT_NAME}_warnings ${layer_PRIVATE})
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

# test_program(<name> SOURCES a_test.cpp ... [LIBRARIES lib ...] [LABELS label ...] [TIMEOUT seconds])
# One GoogleTest executable; each TEST is a CTest of its own, with 300 seconds unless told otherwise.
function(test_program name)
  cmake_parse_arguments(test "" "TIMEOUT" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 300)
  endif()
  add_executable(${name} ${test_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${test_LIBRARIES} ${PROJECT_NAME}_warnings GTest::gmock GTest::gtest_main)
  # The tests' own code need not be fast, and compiles in half the time when it is not optimised. (At -O1 and with the
  # precompiled header, GCC 12 reports its bug 105651 under other names than the one that Warnings.cmake turns off.)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O0>)
  precompile_test_headers(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT ${test_TIMEOUT} LABELS "${test_LABELS}")
endfunction()
