# CUDA's headers: CUDA_HOME, /usr/local/cuda*, nvcc on the PATH, or NVIDIA's wheels unpacked into build/cuda-wheels. Only headers
# are used to build; NVRTC, cuBLAS and the driver are opened at run time.
file(GLOB cuda_toolkits LIST_DIRECTORIES true /usr/local/cuda /usr/local/cuda-*)
find_program(cuda_nvcc nvcc NO_CACHE)
set(cuda_nvcc_root "")
if(cuda_nvcc)
  file(REAL_PATH ${cuda_nvcc} cuda_nvcc)
  cmake_path(GET cuda_nvcc PARENT_PATH cuda_nvcc_root)
  cmake_path(GET cuda_nvcc_root PARENT_PATH cuda_nvcc_root)
endif()
# A toolkit that was removed since the last configuration must not be remembered.
if(CUDA_INCLUDE_DIR AND NOT EXISTS ${CUDA_INCLUDE_DIR}/cuda.h)
  unset(CUDA_INCLUDE_DIR CACHE)
endif()
find_path(CUDA_INCLUDE_DIR NAMES cuda.h
  HINTS $ENV{CUDA_HOME} ENV CUDA_PATH
  PATHS ${cuda_toolkits} ${cuda_nvcc_root} ${CMAKE_SOURCE_DIR}/build/cuda-wheels/nvidia/cu13
  PATH_SUFFIXES include NO_CMAKE_SYSTEM_PATH)
if(NOT CUDA_INCLUDE_DIR)
  message(FATAL_ERROR "cannot find cuda.h: set CUDA_HOME to a CUDA toolkit (12.4 or later)")
endif()
message(STATUS "CUDA headers: ${CUDA_INCLUDE_DIR}")
add_library(cuda_headers INTERFACE)
target_include_directories(cuda_headers SYSTEM INTERFACE ${CUDA_INCLUDE_DIR})
