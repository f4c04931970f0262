// The kernels of many_kernels.cpp. After a change, from this folder:
//   nvcc -ptx -arch=compute_80 -o many_kernels.ptx many_kernels.cu

// Sums of what lies before each element, over and over: what is computed does not depend on how
// often, what it takes does.
template <int Number>
__global__ void work(int* sums, const int* values, int count, int rounds) {
  const int i = threadIdx.x;
  if (i >= count) return;
  const volatile int* each = values;
  int sum = 0;
  for (int round = 0; round < rounds; ++round) {
    sum = Number;
    for (int k = 0; k < i; ++k) sum += each[k];
  }
  sums[i] = sum;
}

#define FIVE(first)                                                \
  template __global__ void work<first>(int*, const int*, int, int);     \
  template __global__ void work<first + 1>(int*, const int*, int, int); \
  template __global__ void work<first + 2>(int*, const int*, int, int); \
  template __global__ void work<first + 3>(int*, const int*, int, int); \
  template __global__ void work<first + 4>(int*, const int*, int, int);
FIVE(0)
FIVE(5)
FIVE(10)
FIVE(15)
