// Adds two vectors: the program that everybody writes first.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                          \
  do {                                                       \
    cudaError_t status = (call);                             \
    if (status != cudaSuccess) {                             \
      printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
      exit(1);                                               \
    }                                                        \
  } while (0)

__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main(int argc, char** argv) {
  int n = 1 << 16;
  if (argc > 1) n = atoi(argv[1]);
  size_t bytes = n * sizeof(float);
  float* h = (float*)malloc(bytes);
  float *d_a, *d_b, *d_c;
  CHECK(cudaMalloc(&d_a, bytes));
  CHECK(cudaMalloc((void**)&d_b, bytes));
  CHECK(cudaMalloc(&d_c, bytes));
  cudaMemcpy(d_a, h, bytes, cudaMemcpyHostToDevice);
  int threads = 256;
  int blocks = (n + threads - 1) / threads;
  add<<<blocks, threads>>>(d_a, d_b, d_c, n);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
