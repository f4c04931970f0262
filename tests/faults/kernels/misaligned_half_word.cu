// Two bytes at an odd address.
// must be: crashed, misaligned load of 2 bytes at byte 
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const char* const bytes = reinterpret_cast<const char*>(x + i);
  const unsigned short part = *reinterpret_cast<const unsigned short*>(bytes + 1);  // here
  z[i] = part + y[i];
}
