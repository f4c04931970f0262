# What `cmake --install` and ./dev install put under a prefix: the program, the emulated driver, the cases, the header for
# editors, completions and documents. Libraries of the system stay where they are: in /usr/local/lib they would take the place
# of the system's own for every program. scripts/package brings them along for machines that lack them.
# RPATH rather than RUNPATH: the libraries that come along in a package need each other, and only RPATH holds for those as
# well, and for those that are opened at run time. From the beginning on: to one that it is to replace, CMake adds empty
# folders as room, and an empty one is the working folder, so that whoever writes there could put libraries into the program.
set_target_properties(autokernel PROPERTIES INSTALL_RPATH "\$ORIGIN/../lib;\$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)
target_link_options(autokernel PRIVATE -Wl,--disable-new-dtags)
# Always lib, also where the system has a lib64: the program looks for its library in ../lib.
install(TARGETS autokernel autokernel_cpu autokernel_cuda_syntax RUNTIME DESTINATION bin COMPONENT autokernel LIBRARY DESTINATION lib COMPONENT autokernel)
# What is loaded into other programs; the forwarding driver is in a folder of its own, since nobody else is to find it.
install(TARGETS autokernel_profile LIBRARY DESTINATION lib COMPONENT autokernel)
install(TARGETS autokernel_driver_shim LIBRARY DESTINATION lib/autokernel-driver COMPONENT autokernel NAMELINK_SKIP)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/kernels ${CMAKE_SOURCE_DIR}/workloads DESTINATION share/autokernel COMPONENT autokernel)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/src/cli/case/lab DESTINATION share/autokernel COMPONENT autokernel)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/tests/data/elementwise ${CMAKE_SOURCE_DIR}/commands/json_parser
  ${CMAKE_SOURCE_DIR}/commands/ranking ${CMAKE_SOURCE_DIR}/commands/training
  DESTINATION share/autokernel/cases COMPONENT autokernel PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/scripts/systemd DESTINATION share/autokernel COMPONENT autokernel)
install(FILES ${CMAKE_SOURCE_DIR}/include/autokernel.cuh ${CMAKE_SOURCE_DIR}/include/autokernel_baseline.h
  ${CMAKE_SOURCE_DIR}/include/autokernel_cudnn.cuh DESTINATION include COMPONENT autokernel)
install(FILES ${CMAKE_SOURCE_DIR}/README.md ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/program.md
  DESTINATION share/doc/autokernel COMPONENT autokernel)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs DESTINATION share/doc/autokernel COMPONENT autokernel)

# The completions are the program's own words, so they are made by it.
set(autokernel_completions ${CMAKE_BINARY_DIR}/completions)
set(autokernel_completion_files "")
foreach(shell bash zsh fish)
  add_custom_command(OUTPUT ${autokernel_completions}/autokernel.${shell}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${autokernel_completions}
    COMMAND autokernel completion ${shell} > ${autokernel_completions}/autokernel.${shell}
    DEPENDS autokernel VERBATIM)
  list(APPEND autokernel_completion_files ${autokernel_completions}/autokernel.${shell})
endforeach()
add_custom_target(autokernel_completions ALL DEPENDS ${autokernel_completion_files})
install(FILES ${autokernel_completions}/autokernel.bash DESTINATION share/bash-completion/completions RENAME autokernel COMPONENT autokernel)
install(FILES ${autokernel_completions}/autokernel.zsh DESTINATION share/zsh/site-functions RENAME _autokernel COMPONENT autokernel)
install(FILES ${autokernel_completions}/autokernel.fish DESTINATION share/fish/vendor_completions.d COMPONENT autokernel)

add_custom_target(uninstall
  COMMAND ${CMAKE_COMMAND} -D MANIFEST=${CMAKE_BINARY_DIR}/install_manifest.txt -P ${CMAKE_SOURCE_DIR}/cmake/Uninstall.cmake)
