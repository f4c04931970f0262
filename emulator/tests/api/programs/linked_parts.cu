// Two sources that nvcc -rdc=true compiles apart: functions, variables, pointers and classes of one
// that the other uses. Beside them the program has the device runtime, in machine code alone.
#include "linked.h"
#include "linked_parts/parts.h"

static __device__ int own = 1000;
static __device__ __noinline__ int step(int value) { return value - own; }

extern "C" __global__ void first(int* out) {
  const int i = threadIdx.x;
  Shape* shape = new_square(i);
  out[i] = other(i) + step(i) + chosen_step(i) + shape->area();
  delete shape;
  if (i == 0) ++shared_count;
}
template __global__ void add_to_all<3>(int*);

static int expected(int i) {
  const int factors[] = {1, 10, 100, 1000};
  return (i * factors[i & 3] + 7) + (i - 1000) + (i + 7) + i * i;
}

int main() {
  CHECK(cuInit(0));
  CUdevice device = 0;
  CUcontext context = nullptr;
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));

  CUmodule module = nullptr;
  CUfunction first = nullptr;
  CUfunction second = nullptr;
  CUfunction add = nullptr;
  CHECK(cuModuleLoadFatBinary(&module, linked_image));
  CHECK(cuModuleGetFunction(&first, module, "first"));
  CHECK(cuModuleGetFunction(&second, module, "second"));
  CHECK(cuModuleGetFunction(&add, module, "_Z10add_to_allILi3EEvPi"));
  unsigned kernels = 0;
  CHECK(cuModuleGetFunctionCount(&kernels, module));
  EXPECT(kernels == 3);

  constexpr int kThreads = 64;
  CUdeviceptr out = 0;
  CHECK(cuMemAlloc(&out, sizeof(int) * kThreads));
  void* parameters[] = {&out};
  int values[kThreads];
  CHECK(cuLaunchKernel(first, 1, 1, 1, kThreads, 1, 1, 0, nullptr, parameters, nullptr));
  CHECK(cuLaunchKernel(add, 1, 1, 1, kThreads, 1, 1, 0, nullptr, parameters, nullptr));
  CHECK(cuMemcpyDtoH(values, out, sizeof values));
  for (int i = 0; i < kThreads; ++i) EXPECT(values[i] == expected(i) + 3);
  CHECK(cuLaunchKernel(second, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  CHECK(cuMemcpyDtoH(values, out, sizeof(int)));
  EXPECT(values[0] == 7);
  CHECK(cuModuleUnload(module));

  CUlibrary library = nullptr;
  CHECK(cuLibraryLoadData(&library, linked_image, nullptr, nullptr, 0, nullptr, nullptr, 0));
  CHECK(cuLibraryGetKernelCount(&kernels, library));
  EXPECT(kernels == 3);
  CUkernel kernel = nullptr;
  CHECK(cuLibraryGetKernel(&kernel, library, "second"));
  CHECK(cuLaunchKernel(reinterpret_cast<CUfunction>(kernel), 1, 1, 1, 1, 1, 1, 0, nullptr,
                       parameters, nullptr));
  CHECK(cuMemcpyDtoH(values, out, sizeof(int)));
  EXPECT(values[0] == 6);
  CHECK(cuLibraryUnload(library));
  std::puts("passed");
}
