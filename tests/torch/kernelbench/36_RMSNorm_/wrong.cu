// Mistake: the root is missing: x is divided by the mean square.
#include <autokernel.cuh>

constexpr int FEATURES = 64;
constexpr int PIXELS = dim1 * 512;
constexpr int THREADS = 256;
constexpr float EPSILON = 1e-5f;

AUTOKERNEL_LAUNCH({.kernel = "rms_norm",
                   .grid = {PIXELS / THREADS, batch_size},
                   .block = {THREADS}});

extern "C" __global__ void rms_norm(const float* x, float* output) {
  const long long first =
      static_cast<long long>(blockIdx.y) * FEATURES * PIXELS + blockIdx.x * THREADS + threadIdx.x;
  float squares = 0;
  for (int i = 0; i < FEATURES; ++i) {
    const float value = x[first + i * PIXELS];
    squares += value * value;
  }
  const float rms = squares / FEATURES + EPSILON;
  for (int i = 0; i < FEATURES; ++i) output[first + i * PIXELS] = x[first + i * PIXELS] / rms;
}
