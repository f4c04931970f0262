// Textures are not emulated.
// must be: unsupported, is not supported by the emulator: it has no textures
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  z[i] = tex1Dfetch<float>((cudaTextureObject_t)x, i) + y[i];  // here
}
