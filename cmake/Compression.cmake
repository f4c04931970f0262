# What decompresses the fat binaries that nvcc makes. Linked into the emulator, so that it needs neither at run time; where
# there is no static library the shared one will do.
foreach(name lz4 zstd)
  find_path(autokernel_${name}_include NAMES ${name}.h)
  find_library(autokernel_${name}_library NAMES lib${name}.a ${name})
  if(NOT autokernel_${name}_include OR NOT autokernel_${name}_library)
    message(FATAL_ERROR "cannot find ${name}.h and lib${name}: install lib${name}-dev, or run ./dev setup")
  endif()
  add_library(autokernel_${name} INTERFACE)
  target_include_directories(autokernel_${name} SYSTEM INTERFACE ${autokernel_${name}_include})
  target_link_libraries(autokernel_${name} INTERFACE ${autokernel_${name}_library})
endforeach()
