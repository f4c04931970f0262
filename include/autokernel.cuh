// Served to every kernel file as <autokernel.cuh>: the sizes of the case as constants, and the
// macros by which the file says how it wants to be launched. It is part of no program but the
// candidate's, and compiles with --std=c++20.
//
//   #include <autokernel.cuh>
//   AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});
//
// Everything in the braces is plain C++ that the compiler evaluates: tile sizes are written once
// and used in the kernel and in its launch. The sizes of the case (M, N, K, ...) are `inline
// constexpr int`, or `long long` where the value does not fit.
#pragma once

#include <autokernel_sizes.cuh>

namespace autokernel {

// Blocks of a grid or threads of a block. A dimension that is left out is 1.
struct Extent {
  long long x = 1;
  long long y = 1;
  long long z = 1;
};

// One launch. `kernel` names an extern "C" __global__ function; `shared_bytes` is dynamic shared
// memory.
struct Launch {
  char kernel[64] = {};
  Extent grid;
  Extent block;
  long long shared_bytes = 0;
};

// What the harness reads from the compiled image, without running anything. All fields have a fixed
// width and none is a pointer, so that the bytes alone tell everything; the version changes with
// the layout.
struct Declaration {
  char magic[8] = {'A', 'K', 'L', 'A', 'U', 'N', 'C', 'H'};
  unsigned version = 1;
  unsigned line = 0;
  Launch launches[4];
};
static_assert(sizeof(Launch) == 120 && sizeof(Declaration) == 496);

struct Workspace {
  char magic[8] = {'A', 'K', 'W', 'O', 'R', 'K', 'S', 'P'};
  unsigned version = 1;
  unsigned line = 0;
  long long bytes = 0;
  long long zeroed = 0;
};
static_assert(sizeof(Workspace) == 32);

}  // namespace autokernel

// One to four launches, each in braces, run in this order; all of them are timed. Stands once in
// the file.
#define AUTOKERNEL_LAUNCH(...)                                            \
  extern "C" __constant__ ::autokernel::Declaration autokernel_launch = { \
      .line = __LINE__, .launches = {__VA_ARGS__}}

// Device memory of this many bytes, handed to every launch as its last parameter (aligned to 256
// bytes) and shared by all of them. It holds random bits when a run begins ...
#define AUTOKERNEL_WORKSPACE(size)                                         \
  extern "C" __constant__ ::autokernel::Workspace autokernel_workspace = { \
      .line = __LINE__, .bytes = (size), .zeroed = 0}

// ... or zeros, and then the time it takes to write them counts.
#define AUTOKERNEL_ZEROED_WORKSPACE(size)                                  \
  extern "C" __constant__ ::autokernel::Workspace autokernel_workspace = { \
      .line = __LINE__, .bytes = (size), .zeroed = 1}
