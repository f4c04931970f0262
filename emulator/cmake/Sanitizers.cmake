# add_sanitizers(<sanitizers>)
# Builds everything of this folder and those below it with the named sanitizers; with "" none.
function(add_sanitizers sanitizers)
  if(NOT sanitizers)
    return()
  endif()
  add_compile_options(-fsanitize=${sanitizers} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${sanitizers})
  if(sanitizers MATCHES undefined)
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
  # Instrumented, GCC 12's own <regex> looks uninitialised to GCC 12 (bug 105562), and a sum of strings out of bounds (bug 105651,
  # under two names).
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options(-Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow)
  endif()
endfunction()
