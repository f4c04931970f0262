// C = A x B, one thread for each element of C.
constexpr int SIDE = 512;

extern "C" __global__ void sgemm(const float* a, const float* b, float* c) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0.0f;
  for (int k = 0; k < SIDE; ++k) sum += a[row * SIDE + k] * b[k * SIDE + col];
  c[row * SIDE + col] = sum;
}
