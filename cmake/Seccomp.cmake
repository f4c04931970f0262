# What confines the process in which a kernel's code runs. Linked statically where it can be, so that the program starts on
# machines that do not have it.
find_path(autokernel_seccomp_include NAMES seccomp.h)
find_library(autokernel_seccomp_library NAMES libseccomp.a seccomp)
if(NOT autokernel_seccomp_include OR NOT autokernel_seccomp_library)
  message(FATAL_ERROR "cannot find seccomp.h and libseccomp: install libseccomp-dev, or run ./dev setup")
endif()
add_library(autokernel_seccomp INTERFACE)
target_include_directories(autokernel_seccomp SYSTEM INTERFACE ${autokernel_seccomp_include})
target_link_libraries(autokernel_seccomp INTERFACE ${autokernel_seccomp_library})
