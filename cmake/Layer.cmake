# autokernel_layer(<name> SOURCES a.cpp ... [PUBLIC lib ...] [PRIVATE lib ...])
# One static library per layer. PUBLIC are the layers below it, PRIVATE the third-party libraries no header mentions.
function(autokernel_layer name)
  cmake_parse_arguments(layer "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${layer_SOURCES})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR}/include PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(${name} PUBLIC ${layer_PUBLIC} PRIVATE autokernel_warnings ${layer_PRIVATE})
endfunction()

# autokernel_test(<name> SOURCES a_test.cpp ... [LIBRARIES lib ...])
# One GoogleTest executable; each TEST is a CTest of its own.
function(autokernel_test name)
  cmake_parse_arguments(test "" "" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  add_executable(${name} ${test_SOURCES})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${test_LIBRARIES} autokernel_warnings GTest::gmock GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 300 LABELS "${test_LABELS}")
endfunction()
