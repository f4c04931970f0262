# What reads text from strangers, given text that nobody means. <reader>_fuzz.cpp defines LLVMFuzzerTestOneInput, for both:

# fuzz_entry(<reader>)
# That function under the name fuzz_<reader>, as the library fuzz_<reader>_entry: for a test that calls it.
function(fuzz_entry reader)
  add_library(fuzz_${reader}_entry OBJECT ${reader}_fuzz.cpp)
  target_include_directories(fuzz_${reader}_entry PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(fuzz_${reader}_entry PRIVATE LLVMFuzzerTestOneInput=fuzz_${reader})
  target_link_libraries(fuzz_${reader}_entry PRIVATE ${PROJECT_NAME}_warnings)
endfunction()

# fuzzer(<reader> <library> [source ...])
# The program <reader>_fuzz, which needs clang. `library` is what it is to find its way through.
function(fuzzer reader library)
  set(name ${reader}_fuzz)
  add_executable(${name} ${name}.cpp ${ARGN})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${library} ${PROJECT_NAME}_warnings)
  target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/fuzz)
  # Without this the fuzzer would see nothing of the code it is to find its way through.
  target_compile_options(${library} PRIVATE -fsanitize=fuzzer-no-link)
endfunction()
