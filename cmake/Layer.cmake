# Libraries and tests of ours are declared as the emulator's are; it has to be built without us, so the functions are there.
include(Targets)
function(autokernel_layer)
  layer_library(${ARGV})
endfunction()
function(autokernel_test)
  test_program(${ARGV})
endfunction()
