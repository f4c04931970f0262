// A word in the middle of an element.
// must be: crashed, misaligned load of 4 bytes at byte 
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const char* const bytes = reinterpret_cast<const char*>(x + i);
  const int word = *reinterpret_cast<const int*>(bytes + 2);  // here
  z[i] = __int_as_float(word) + y[i];
}
