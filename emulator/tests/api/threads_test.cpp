// Many host threads at once, each with its own work, in contexts of their own and in one that they
// share.
#include <atomic>
#include <thread>

#include "api/emulated_device.h"

namespace emulator::api {
namespace {

constexpr int kThreads = 8;
constexpr int kRounds = 6;

class Threads : public EmulatedDevice {
 protected:
  // Loads a module, runs its kernel, checks what it computed, and takes everything away again.
  static bool works(unsigned number) {
    const CUmodule module = load(kStoreIndex);
    CUstream stream = nullptr;
    CUevent event = nullptr;
    CUdeviceptr out = 0;
    bool good = cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS &&
                cuEventCreate(&event, 0) == CUDA_SUCCESS &&
                cuMemAllocAsync(&out, 256, stream) == CUDA_SUCCESS;
    good = good && launch(kernel(module, "k"), {.grid = 2, .stream = stream}, out) == CUDA_SUCCESS;
    good = good && cuMemsetD32Async(out, number, 1, stream) == CUDA_SUCCESS;
    good = good && cuEventRecord(event, stream) == CUDA_SUCCESS &&
           cuEventSynchronize(event) == CUDA_SUCCESS;
    const auto words = read(out, 64);
    good = good && words[0] == number && words[63] == 63;
    good = good && cuMemFreeAsync(out, stream) == CUDA_SUCCESS &&
           cuStreamDestroy(stream) == CUDA_SUCCESS && cuEventDestroy(event) == CUDA_SUCCESS;
    return good && cuModuleUnload(module) == CUDA_SUCCESS;
  }
  // How many of the threads' rounds were right.
  template <typename Begin, typename End>
  static int rounds_right(const Begin& begin, const End& end) {
    std::atomic<int> right = 0;
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        begin();
        for (int round = 0; round < kRounds; ++round) {
          right += works(static_cast<unsigned>(100 * i + round)) ? 1 : 0;
        }
        end();
      });
    }
    for (std::thread& thread : threads) thread.join();
    return right;
  }
};

TEST_F(Threads, ShareAContext) {
  EXPECT_EQ(rounds_right([&] { EXPECT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS); }, [] {}),
            kThreads * kRounds);
}

TEST_F(Threads, HaveContextsOfTheirOwn) {
  EXPECT_EQ(rounds_right(
                [&] {
                  CUcontext own = nullptr;
                  EXPECT_EQ(cuCtxCreate(&own, nullptr, 0, device), CUDA_SUCCESS);
                },
                [] {
                  CUcontext own = nullptr;
                  EXPECT_EQ(cuCtxGetCurrent(&own), CUDA_SUCCESS);
                  EXPECT_EQ(cuCtxDestroy(own), CUDA_SUCCESS);
                }),
            kThreads * kRounds);
}

TEST_F(Threads, RetainAndReleaseThePrimaryContext) {
  EXPECT_EQ(rounds_right(
                [&] {
                  CUcontext primary = nullptr;
                  EXPECT_EQ(cuDevicePrimaryCtxRetain(&primary, device), CUDA_SUCCESS);
                  EXPECT_EQ(cuCtxSetCurrent(primary), CUDA_SUCCESS);
                },
                [&] { EXPECT_EQ(cuDevicePrimaryCtxRelease(device), CUDA_SUCCESS); }),
            kThreads * kRounds);
}

TEST_F(Threads, CaptureEachItsOwn) {
  const CUfunction function = kernel(kStoreIndex);
  std::atomic<int> right = 0;
  const auto work = [&] {
    ASSERT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
    ASSERT_EQ(cuThreadExchangeStreamCaptureMode(&mode), CUDA_SUCCESS);
    for (int round = 0; round < kRounds; ++round) {
      const CUdeviceptr out = allocate(128);
      CUstream stream = nullptr;
      CUgraph graph = nullptr;
      CUgraphExec exec = nullptr;
      ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
      ASSERT_EQ(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), CUDA_SUCCESS);
      ASSERT_EQ(launch(function, {.stream = stream}, out), CUDA_SUCCESS);
      ASSERT_EQ(cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
      ASSERT_EQ(cuGraphInstantiate(&exec, graph, 0), CUDA_SUCCESS);
      ASSERT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS);
      ASSERT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
      right += read(out, 32)[31] == 31 ? 1 : 0;
      ASSERT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
      ASSERT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
      ASSERT_EQ(cuStreamDestroy(stream), CUDA_SUCCESS);
    }
  };

  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(right, kThreads * kRounds);
}

}  // namespace
}  // namespace emulator::api
