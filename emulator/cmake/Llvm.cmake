# LLVM, linked statically into the library. Developed on 19; 16 to 22 are accepted.
set(EMULATOR_LLVM_VERSIONS 19 20 21 22 18 17 16 CACHE STRING "Major versions of LLVM to try, best first")
foreach(version ${EMULATOR_LLVM_VERSIONS})
  find_package(LLVM QUIET CONFIG PATHS /usr/lib/llvm-${version} NO_DEFAULT_PATH)
  if(LLVM_FOUND)
    break()
  endif()
endforeach()
if(NOT LLVM_FOUND)
  message(FATAL_ERROR "cannot find LLVM 16 to 22 under /usr/lib/llvm-*: install llvm-19-dev")
endif()
message(STATUS "LLVM: ${LLVM_PACKAGE_VERSION}")
# LLVM's own package names zstd as a CMake target, which only libzstd-dev brings. The library itself is always there,
# since libLLVM needs it.
if(NOT TARGET zstd::libzstd_shared)
  find_library(emulator_zstd NAMES zstd libzstd.so.1 NO_CACHE)
  if(emulator_zstd)
    add_library(zstd::libzstd_shared SHARED IMPORTED GLOBAL)
    set_target_properties(zstd::libzstd_shared PROPERTIES IMPORTED_LOCATION ${emulator_zstd})
  endif()
endif()
llvm_map_components_to_libnames(emulator_llvm_libraries core irreader passes orcjit x86codegen x86desc x86info
  x86asmparser)
add_library(emulator_llvm INTERFACE)
target_include_directories(emulator_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
# LLVM also names libraries that none of these components call (z3, libxml2, libffi): leave them out of the result.
target_link_options(emulator_llvm INTERFACE -Wl,--as-needed)
target_link_libraries(emulator_llvm INTERFACE ${emulator_llvm_libraries})
