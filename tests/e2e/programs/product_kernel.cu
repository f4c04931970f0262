// The kernel of sample_cublas.cpp. After a change, from this folder:
//   nvcc -ptx -arch=compute_80 -o product_kernel.ptx product_kernel.cu

// D = op(A) op(B), column-major: op(A) is m x k, op(B) k x n. One thread an element.
extern "C" __global__ void product(const float* a, const float* b, float* d, int m, int n, int k,
                                   int transpose_a, int transpose_b) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int column = blockIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) {
    sum += (transpose_a ? a[i + row * k] : a[row + i * m]) *
           (transpose_b ? b[column + i * n] : b[i + column * k]);
  }
  d[row + column * m] = sum;
}
