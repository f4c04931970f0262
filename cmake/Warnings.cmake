# The warnings every target of ours is compiled with; the presets make them errors. Only with the compilers they were
# weeded out on, though: a newer one knows new warnings, and must still be able to build the program.
option(AUTOKERNEL_WERROR "Treat warnings as errors (GCC 12 and Clang 19)" OFF)
set(autokernel_werror ${AUTOKERNEL_WERROR})
if(NOT "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" MATCHES "^(GNU 12|Clang 19)\\.")
  set(autokernel_werror OFF)
endif()
add_library(autokernel_warnings INTERFACE)
target_compile_options(autokernel_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion>
  # GCC 12 sees overlapping copies in "text" + string wherever it inlines that (GCC bug 105651).
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>
  $<$<COMPILE_LANGUAGE:C>:-Wall -Wextra -Wpedantic>
  $<$<BOOL:${autokernel_werror}>:-Werror>)
