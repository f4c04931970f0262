// Kernels of one's own, launched by CUDA's runtime and by the driver API, and how long a launch takes the program: what the
// forwarding driver is tried on.
//   nvcc -O2 -o own_kernels own_kernels.cu -lcuda
#include <cuda.h>

#include <chrono>
#include <cstdio>
#include <vector>

__global__ void scale(float* values, float factor, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] *= factor;
}

struct Rows {
  const float* from;
  float* to;
  int rows, columns;
};
extern "C" __global__ void sum_rows(Rows rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows.rows) return;
  float sum = 0;
  for (int i = 0; i < rows.columns; ++i) sum += rows.from[row * rows.columns + i];
  rows.to[row] = sum;
}

__global__ void empty() {}

int main() {
  constexpr int kRows = 4096, kColumns = 256, kCount = kRows * kColumns;
  std::vector<float> host(kCount);
  for (int i = 0; i < kCount; ++i) host[i] = 0.001f * (i % 1009) - 0.4f;
  float *values = nullptr, *sums = nullptr;
  cudaMalloc(&values, kCount * sizeof(float));
  cudaMalloc(&sums, kRows * sizeof(float));
  cudaMemcpy(values, host.data(), kCount * sizeof(float), cudaMemcpyHostToDevice);
  for (int step = 0; step < 4; ++step) scale<<<kCount / 256, 256>>>(values, 1.25f, kCount);
  // The same module's kernel by the driver API.
  cudaFunction_t function = nullptr;
  cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(&sum_rows));
  Rows rows{values, sums, kRows, kColumns};
  void* parameters[] = {&rows};
  for (int step = 0; step < 4; ++step) {
    cuLaunchKernel(reinterpret_cast<CUfunction>(function), kRows / 128, 1, 1, 128, 1, 1, 0, nullptr, parameters, nullptr);
  }
  std::vector<float> result(kRows);
  cudaMemcpy(result.data(), sums, kRows * sizeof(float), cudaMemcpyDeviceToHost);
  double total = 0;
  for (const float each : result) total += each;
  for (int round = 0; round < 3; ++round) {
    constexpr int kLaunches = 20000;
    cudaDeviceSynchronize();
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kLaunches; ++i) empty<<<1, 1>>>();
    const auto end = std::chrono::steady_clock::now();
    cudaDeviceSynchronize();
    std::printf("ns_per_launch %.0f\n", std::chrono::duration<double, std::nano>(end - begin).count() / kLaunches);
  }
  std::printf("total %.6f %s\n", total, cudaGetErrorString(cudaGetLastError()));
}
