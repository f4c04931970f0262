# add_warnings(<name> <as errors>)
# The warnings every target is compiled with, as a library to link. They are errors only with the compilers they were weeded
# out on, though: a newer one knows new warnings, and must still be able to build the program.
function(add_warnings name as_errors)
  if(NOT "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" MATCHES "^(GNU 12|Clang 19)\\.")
    set(as_errors OFF)
  endif()
  add_library(${name} INTERFACE)
  target_compile_options(${name} INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion>
    # GCC 12 sees overlapping copies in "text" + string wherever it inlines that (GCC bug 105651).
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>
    $<$<COMPILE_LANGUAGE:C>:-Wall -Wextra -Wpedantic>
    $<$<BOOL:${as_errors}>:-Werror>)
endfunction()
