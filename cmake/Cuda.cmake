# CUDA's headers and NVRTC: CUDA_HOME, /usr/local/cuda*, nvcc on the PATH, or the wheels ./dev unpacks. Only headers are
# used to build; NVRTC, cuBLAS and the driver are opened at run time.
file(GLOB autokernel_cuda_toolkits LIST_DIRECTORIES true /usr/local/cuda /usr/local/cuda-*)
find_program(autokernel_nvcc nvcc NO_CACHE)
set(autokernel_nvcc_root "")
if(autokernel_nvcc)
  file(REAL_PATH ${autokernel_nvcc} autokernel_nvcc)
  cmake_path(GET autokernel_nvcc PARENT_PATH autokernel_nvcc_root)
  cmake_path(GET autokernel_nvcc_root PARENT_PATH autokernel_nvcc_root)
endif()
# A toolkit that was removed since the last configuration must not be remembered.
if(CUDA_INCLUDE_DIR AND NOT EXISTS ${CUDA_INCLUDE_DIR}/cuda.h)
  unset(CUDA_INCLUDE_DIR CACHE)
endif()
find_path(CUDA_INCLUDE_DIR NAMES cuda.h
  HINTS $ENV{CUDA_HOME} ENV CUDA_PATH
  PATHS ${autokernel_cuda_toolkits} ${autokernel_nvcc_root} ${CMAKE_SOURCE_DIR}/build/cuda-wheels/nvidia/cu13
  PATH_SUFFIXES include NO_CMAKE_SYSTEM_PATH)
if(NOT CUDA_INCLUDE_DIR)
  message(FATAL_ERROR "cannot find cuda.h: set CUDA_HOME to a CUDA toolkit (12.4 or later), or run ./dev setup")
endif()
message(STATUS "CUDA headers: ${CUDA_INCLUDE_DIR}")
add_library(autokernel_cuda_headers INTERFACE)
target_include_directories(autokernel_cuda_headers SYSTEM INTERFACE ${CUDA_INCLUDE_DIR})
