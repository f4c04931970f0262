// A program of the CUDA runtime. The runtime asks the driver for tables that NVIDIA does not
// document; without them it has to say so instead of computing anything.
#include <cstdio>

int main() {
  float* memory = nullptr;
  const cudaError_t error = cudaMalloc(&memory, 16);
  std::printf("%s\n", cudaGetErrorName(error));
  if (error == cudaErrorNotSupported) std::puts("passed");
}
