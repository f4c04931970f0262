# The warnings every target of ours is compiled with; the dev, asan, tsan and tidy presets make them errors.
option(AUTOKERNEL_WERROR "Treat warnings as errors" OFF)
add_library(autokernel_warnings INTERFACE)
target_compile_options(autokernel_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion>
  $<$<COMPILE_LANGUAGE:C>:-Wall -Wextra -Wpedantic>
  $<$<BOOL:${AUTOKERNEL_WERROR}>:-Werror>)
