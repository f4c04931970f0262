# Texts that travel in the binary: each is a string in a generated source file.

# Sets VARIABLE to a C++ literal of the files' text, one behind the other, and configures again when one of them changes.
function(embed_text variable)
  set(all "")
  foreach(file ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} text)
    string(APPEND all "${text}")
  endforeach()
  # Compilers need not take a literal of more than 65,536 characters ([implimits]); literals side by side are one.
  set(literal "")
  string(LENGTH "${all}" left)
  set(begin 0)
  while(left GREATER 0)
    string(SUBSTRING "${all}" ${begin} 32768 piece)
    string(APPEND literal "R\"AUTOKERNEL(${piece})AUTOKERNEL\"\n")
    math(EXPR begin "${begin} + 32768")
    math(EXPR left "${left} - 32768")
  endwhile()
  set(${variable} "${literal}" PARENT_SCOPE)
endfunction()
