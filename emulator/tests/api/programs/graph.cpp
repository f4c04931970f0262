// A graph captured from two streams, launched again and again, and changed in between.
#include "kernels_image.h"
#include "program.h"

int main() {
  CHECK(cuInit(0));
  CUdevice device = 0;
  CUcontext context = nullptr;
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuCtxCreate(&context, nullptr, 0, device));
  CUlibrary library = nullptr;
  CUkernel step = nullptr;
  CHECK(cuLibraryLoadData(&library, image, nullptr, nullptr, 0, nullptr, nullptr, 0));
  CHECK(cuLibraryGetKernel(&step, library, "step"));

  CUstream first = nullptr;
  CUstream second = nullptr;
  CUevent fork = nullptr;
  CUevent join = nullptr;
  CHECK(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
  CHECK(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
  CHECK(cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING));
  CHECK(cuEventCreate(&join, CU_EVENT_DISABLE_TIMING));
  CUdeviceptr value = 0;
  CHECK(cuMemAlloc(&value, sizeof(unsigned)));

  const auto launch = [&](CUstream stream, unsigned factor, unsigned summand) {
    void* parameters[] = {&value, &factor, &summand};
    CHECK(cuLaunchKernel(reinterpret_cast<CUfunction>(step), 1, 1, 1, 1, 1, 1, 0, stream,
                         parameters, nullptr));
  };
  CHECK(cuStreamBeginCapture(first, CU_STREAM_CAPTURE_MODE_GLOBAL));
  CHECK(cuMemsetD32Async(value, 0, 1, first));
  launch(first, 10, 1);
  CHECK(cuEventRecord(fork, first));
  CHECK(cuStreamWaitEvent(second, fork, 0));
  launch(second, 10, 2);
  CHECK(cuEventRecord(join, second));
  CHECK(cuStreamWaitEvent(first, join, 0));
  launch(first, 10, 3);
  CUgraph graph = nullptr;
  CHECK(cuStreamEndCapture(first, &graph));
  CUgraphNode nodes[8];
  std::size_t count = 8;
  CHECK(cuGraphGetNodes(graph, nodes, &count));
  EXPECT(count == 4);

  CUgraphExec exec = nullptr;
  CHECK(cuGraphInstantiate(&exec, graph, 0));
  unsigned result = 0;
  for (int i = 0; i < 100; ++i) CHECK(cuGraphLaunch(exec, first));
  CHECK(cuMemcpyDtoHAsync(&result, value, sizeof result, first));
  CHECK(cuStreamSynchronize(first));
  EXPECT(result == 123);

  CUDA_KERNEL_NODE_PARAMS parameters{};
  CHECK(cuGraphKernelNodeGetParams(nodes[3], &parameters));
  unsigned factor = 1;
  unsigned summand = 7;
  void* changed[] = {&value, &factor, &summand};
  parameters.kernelParams = changed;
  CHECK(cuGraphExecKernelNodeSetParams(exec, nodes[3], &parameters));
  CHECK(cuGraphLaunch(exec, first));
  CHECK(cuStreamSynchronize(first));
  CHECK(cuMemcpyDtoH(&result, value, sizeof result));
  EXPECT(result == 19);

  CHECK(cuGraphExecDestroy(exec));
  CHECK(cuGraphDestroy(graph));
  CHECK(cuLibraryUnload(library));
  CHECK(cuCtxDestroy(context));
  std::puts("passed");
}
