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

// A kernel by the address of its function, and the instance of a template that this makes:
// `.kernel = autokernel::kernel<&scale<256, float>>`.
template <auto* function>
struct Kernel {};
template <auto* function>
inline constexpr Kernel<function> kernel{};
// Refers to the kernel, so that the compiler makes it, and says in the image which one it is.
template <auto* function>
__constant__ auto* kernel_address = function;

template <typename>
inline constexpr bool is_text = false;
template <>
inline constexpr bool is_text<const char*> = true;

// Which kernel is launched: the name of a __global__ function in quotes, or autokernel::kernel.
struct KernelName {
  char text[64] = {};
  const void* address = nullptr;

  constexpr KernelName() = default;
  template <int size>
    requires(size <= 64)
  __device__ constexpr KernelName(const char (&name)[size]) {
    for (int i = 0; i < size; ++i) text[i] = name[i];
  }
  // Also what `?:` makes of two names that are not of one length. One that is too long has no end.
  template <typename Pointer>
    requires(is_text<Pointer>)
  __device__ constexpr KernelName(Pointer name) {
    for (int i = 0; i < 64 && (i == 0 || name[i - 1] != 0); ++i) text[i] = name[i];
  }
  template <auto* function>
  __device__ constexpr KernelName(Kernel<function>) : address(&kernel_address<function>) {}
};

// One launch. `shared_bytes` is dynamic shared memory. Blocks of a `cluster` reach each other's
// shared memory; all blocks of a `cooperative` launch run at once and may wait for each other. A
// `programmatic` one may begin before the launch above it has ended: as soon as all blocks of that
// have executed griddepcontrol.launch_dependents. `arguments` names what the kernel takes, such as
// "M, N, A, C, map_a": tensors, scalars, sizes, workspace and tensor maps in any order.
struct Launch {
  KernelName kernel;
  Extent grid;
  Extent block;
  long long shared_bytes = 0;
  Extent cluster;
  bool cooperative = false;
  bool programmatic = false;
  char arguments[166] = {};
};

// What the harness reads from the compiled image, without running anything. All fields have a fixed
// width, so that the bytes tell everything but the kernels that are given by an address; the
// version changes with the layout.
struct Declaration {
  char magic[8] = {'A', 'K', 'L', 'A', 'U', 'N', 'C', 'H'};
  unsigned version = 2;
  unsigned line = 0;
  Launch launches[16];
};
static_assert(sizeof(Launch) == 320 && sizeof(Declaration) == 5136);

struct Workspace {
  char magic[8] = {'A', 'K', 'W', 'O', 'R', 'K', 'S', 'P'};
  unsigned version = 1;
  unsigned line = 0;
  long long bytes = 0;
  long long zeroed = 0;
};
static_assert(sizeof(Workspace) == 32);

// How a tensor copy (cp.async.bulk.tensor) finds a part of a tensor. Dimension 0 is the innermost,
// as in PTX and in cuTensorMapEncodeTiled: that of A[M][K] has K elements. What is left out has the
// value it has here; `element_strides` are then 1.
struct TensorMap {
  char tensor[64] = {};        // its name in case.toml, or "workspace"
  long long box[5] = {};       // elements that a copy moves along each dimension
  long long swizzle = 0;       // bytes: 32, 64, 128; 0: none
  long long interleave = 0;    // bytes: 16, 32; 0: none
  long long l2_promotion = 0;  // bytes: 64, 128, 256; 0: none
  char oob_fill[8] = "zeros";  // what is beyond the tensor: "zeros" or "nan"
  long long element_strides[5] = {};
  // The tensor in another shape: elements along each dimension, elements from one to the next along
  // dimensions 1 and up, and elements before the first. Left out: the shape of case.toml.
  struct View {
    long long dims[5] = {};
    long long strides[4] = {};
    long long offset = 0;
  } view;
  char type[16] = {};  // "bf16", "tf32", ...; left out: that of case.toml
  // Of a map in im2col mode, which has no box: the corners of the pixels, and how many channels
  // and pixels a copy moves.
  struct Im2col {
    long long lower[3] = {};
    long long upper[3] = {};
    long long channels = 0;
    long long pixels = 0;
  } im2col;
};

struct TensorMapDeclaration {
  char magic[8] = {'A', 'K', 'T', 'E', 'N', 'S', 'O', 'R'};
  unsigned version = 1;
  unsigned line = 0;
  TensorMap map;
};
static_assert(sizeof(TensorMapDeclaration) == 352);

// A parameter of a captured launch that is handed over by value: a struct of the program's that
// only it knows by name. Cast its address to a struct of your own.
template <int size>
struct alignas(size % 8 == 0   ? 8
               : size % 4 == 0 ? 4
                               : 1) Bytes {
  unsigned char byte[size];
};

}  // namespace autokernel

// The whole of a kernel.cu, but for comments: the kernel that the case was captured with.
#define AUTOKERNEL_ORIGINAL \
  static_assert(false, "AUTOKERNEL_ORIGINAL stands alone, in a case that was captured")

// A tensor map as CUDA's driver makes it: what <cuda.h> has of it, which is for host code else.
struct alignas(64) CUtensorMap_st {
  unsigned long long opaque[16];
};
typedef struct CUtensorMap_st CUtensorMap;

// One to sixteen launches, each in braces, run in this order; all of them are timed. Stands once in
// the file.
#define AUTOKERNEL_LAUNCH(...)                                            \
  extern "C" __constant__ ::autokernel::Declaration autokernel_launch = { \
      .line = __LINE__, .launches = {__VA_ARGS__}}

template <typename First, typename... Others>
__device__ constexpr First autokernel_first_of(First first, Others...) {
  return first;
}

// A parameter to tune: a constant that is the first of these whole numbers. `autokernel loop
// autotune` tries the others, and puts first what is the fastest.
#define AUTOKERNEL_TUNE(name, ...) inline constexpr auto name = autokernel_first_of(__VA_ARGS__)

// Which values of parameters go together.
#define AUTOKERNEL_TUNE_IF(...) \
  static_assert((__VA_ARGS__), "these values do not go together: AUTOKERNEL_TUNE_IF")

// Device memory of this many bytes, handed to every launch as its last parameter (aligned to 256
// bytes) and shared by all of them. It holds random bits when a run begins ...
#define AUTOKERNEL_WORKSPACE(size)                                         \
  extern "C" __constant__ ::autokernel::Workspace autokernel_workspace = { \
      .line = __LINE__, .bytes = (size), .zeroed = 0}

// ... or zeros, and then the time it takes to write them counts.
#define AUTOKERNEL_ZEROED_WORKSPACE(size)                                  \
  extern "C" __constant__ ::autokernel::Workspace autokernel_workspace = { \
      .line = __LINE__, .bytes = (size), .zeroed = 1}

// A tensor map, handed to every launch behind the pointers, as const __grid_constant__ CUtensorMap.
// Several come in the order of their lines.
#define AUTOKERNEL_TENSOR_MAP(name, ...)                                                      \
  extern "C" __constant__ ::autokernel::TensorMapDeclaration autokernel_tensor_map_##name = { \
      .line = __LINE__, .map = __VA_ARGS__}
