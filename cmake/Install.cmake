# `cmake --install` makes a tree that can be copied to another machine: the program, the emulated driver, the cases and
# every library they need except the C library's own. The machine's CUDA and driver are found when the program runs.
# RPATH rather than RUNPATH: the libraries that come along need each other, and only RPATH holds for those as well.
set_target_properties(autokernel autokernel_cpu PROPERTIES INSTALL_RPATH "\$ORIGIN/../lib;\$ORIGIN")
target_link_options(autokernel PRIVATE -Wl,--disable-new-dtags)
target_link_options(autokernel_cpu PRIVATE -Wl,--disable-new-dtags)
install(TARGETS autokernel autokernel_cpu RUNTIME_DEPENDENCY_SET autokernel_libraries
  RUNTIME DESTINATION bin LIBRARY DESTINATION lib)
install(RUNTIME_DEPENDENCY_SET autokernel_libraries
  PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread)\\.so" "^libcuda\\.so"
  LIBRARY DESTINATION lib)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/kernels DESTINATION share/autokernel)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/tests/data/elementwise DESTINATION share/autokernel/cases)
