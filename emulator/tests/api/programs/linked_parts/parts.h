// What the sources of the program have in common.
#pragma once

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual int area() const = 0;
};

using Step = int (*)(int);

extern __device__ int shared_count;
extern __constant__ int factors[4];
extern __device__ Step chosen_step;

__device__ int other(int value);
__device__ Shape* new_square(int side);

// Defined in both sources; one of the two is kept.
template <int kSummand>
__global__ void add_to_all(int* values) {
  values[threadIdx.x] += kSummand;
}
