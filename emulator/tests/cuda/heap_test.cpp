// Memory that kernels take for themselves: malloc and free, new and delete.
#include "cuda_program.h"

namespace emulator::api {
namespace {

using U = std::uint32_t;

std::vector<U> values() {
  std::vector<U> words(64);
  for (U i = 0; i < 64; ++i) words[i] = i * 40503U + 7;
  return words;
}

using DeviceHeap = CudaProgram;

// Lists that grow by new, summed up and deleted; each thread hands its own to its neighbour.
TEST_F(DeviceHeap, GivesAndTakesMemoryOfNewAndDelete) {
  const auto got = run(compile(R"(
struct Node { unsigned value; Node* next; };
__device__ __noinline__ Node* put(Node* head, unsigned value) { return new Node{value, head}; }
extern "C" __global__ void f(const unsigned* in, unsigned* out) {
  __shared__ Node* lists[64];
  const unsigned t = threadIdx.x;
  Node* list = nullptr;
  for (unsigned i = 0; i <= t % 7; ++i) list = put(list, in[(t + i) % 64]);
  lists[t] = list;
  __syncthreads();
  list = lists[(t + 1) % 64];
  unsigned sum = 0;
  while (list != nullptr) {
    Node* next = list->next;
    sum += list->value;
    delete list;
    list = next;
  }
  unsigned* squares = new unsigned[t + 1];
  for (unsigned i = 0; i <= t; ++i) squares[i] = i * i;
  for (unsigned i = 0; i <= t; ++i) sum += squares[i];
  delete[] squares;
  out[t] = sum;
})"),
                       values(), 64, {.block = 64});
  for (U t = 0; t < 64; ++t) {
    const U n = (t + 1) % 64;
    U sum = 0;
    for (U i = 0; i <= n % 7; ++i) sum += values()[(n + i) % 64];
    for (U i = 0; i <= t; ++i) sum += i * i;
    ASSERT_EQ(got[t], sum) << t;
  }
}

TEST_F(DeviceHeap, HoldsObjectsWithVirtualFunctions) {
  const auto got = run(compile(R"(
struct Shape { __device__ virtual ~Shape() {} __device__ virtual unsigned area() const = 0; };
struct Square : Shape {
  unsigned side;
  __device__ Square(unsigned s) : side(s) {}
  __device__ unsigned area() const override { return side * side; }
};
struct Oblong : Shape {
  unsigned a, b;
  __device__ Oblong(unsigned x, unsigned y) : a(x), b(y) {}
  __device__ unsigned area() const override { return a * b; }
};
extern "C" __global__ void f(const unsigned* in, unsigned* out) {
  const unsigned t = threadIdx.x;
  Shape* shape = in[t] % 2 ? (Shape*)new Square(t) : (Shape*)new Oblong(t, 3);
  out[t] = shape->area();
  delete shape;
})"),
                       values(), 64, {.block = 64});
  for (U t = 0; t < 64; ++t) EXPECT_EQ(got[t], values()[t] % 2 != 0 ? t * t : t * 3);
}

TEST_F(DeviceHeap, KeepsWhatMallocGaveForTheNextLaunch) {
  const CUmodule module = compile(R"(
__device__ unsigned* kept[64];
extern "C" __global__ void f(unsigned* out) {
  kept[threadIdx.x] = (unsigned*)malloc(8);
  kept[threadIdx.x][1] = threadIdx.x * 3 + 1;
}
extern "C" __global__ void g(unsigned* out) {
  out[threadIdx.x] = kept[63 - threadIdx.x][1];
  free(kept[63 - threadIdx.x]);
})");
  ASSERT_NE(module, nullptr);
  const CUdeviceptr out = allocate(64 * sizeof(U));

  ASSERT_EQ(launch(kernel(module, "f"), {.block = 64}, out), CUDA_SUCCESS);
  ASSERT_EQ(launch(kernel(module, "g"), {.block = 64}, out), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxSynchronize(), CUDA_SUCCESS) << emuFaultReport();
  const std::vector<U> got = read(out, 64);
  for (U t = 0; t < 64; ++t) EXPECT_EQ(got[t], (63 - t) * 3 + 1);
}

}  // namespace
}  // namespace emulator::api
