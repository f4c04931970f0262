# What decompresses the fat binaries that nvcc makes. Linked into the library, so that it needs neither at run time; where
# there is no static library the shared one will do.
foreach(name lz4 zstd)
  find_path(emulator_${name}_include NAMES ${name}.h)
  find_library(emulator_${name}_library NAMES lib${name}.a ${name})
  if(NOT emulator_${name}_include OR NOT emulator_${name}_library)
    message(FATAL_ERROR "cannot find ${name}.h and lib${name}: install lib${name}-dev")
  endif()
  add_library(emulator_${name} INTERFACE)
  target_include_directories(emulator_${name} SYSTEM INTERFACE ${emulator_${name}_include})
  target_link_libraries(emulator_${name} INTERFACE ${emulator_${name}_library})
endforeach()
