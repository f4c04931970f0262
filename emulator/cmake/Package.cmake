# What `cmake --install` puts under a prefix where the emulator is built alone, and `cpack` into an archive: the library, its
# header, a package for find_package and the terms. A project that includes this one installs what it wants of it.
include(CMakePackageConfigHelpers)
set_target_properties(autokernel_cpu PROPERTIES EXPORT_NAME driver)
install(TARGETS autokernel_cpu EXPORT emulated_cuda LIBRARY DESTINATION lib)
install(FILES ${PROJECT_SOURCE_DIR}/include/emulated_cuda.h DESTINATION include)
install(EXPORT emulated_cuda NAMESPACE emulated_cuda:: FILE emulated_cudaConfig.cmake DESTINATION lib/cmake/emulated_cuda)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/emulated_cudaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/emulated_cudaConfigVersion.cmake DESTINATION lib/cmake/emulated_cuda)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/emulated_cuda)

set(CPACK_GENERATOR TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_FILE_NAME emulated_cuda-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
include(CPack)
