// The second source of the program.
#include <cstdio>

#include "parts.h"

__device__ int shared_count = 5;
__constant__ int factors[4] = {1, 10, 100, 1000};

// Of the same name as one in the other source, and not the same.
static __device__ int own = 7;
static __device__ __noinline__ int step(int value) { return value + own; }

__device__ Step chosen_step = step;

__device__ int other(int value) { return step(value * factors[value & 3]); }

struct Square : Shape {
  int side;
  __device__ explicit Square(int side) : side(side) {}
  __device__ int area() const override { return side * side; }
};

__device__ Shape* new_square(int side) { return new Square(side); }

extern "C" __global__ void second(int* out) { *out = ++shared_count; }
template __global__ void add_to_all<3>(int*);
