#include <atomic>
#include <chrono>
#include <thread>

#include "api/emulated_device.h"

namespace emulator::api {
namespace {

// A flag in page-locked memory that a kernel on the stream waits for.
class Streams : public EmulatedDevice {
 protected:
  void SetUp() override {
    EmulatedDevice::SetUp();
    ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    void* host = nullptr;
    ASSERT_EQ(cuMemHostAlloc(&host, 4, 0), CUDA_SUCCESS);
    flag = static_cast<std::uint32_t*>(host);
    std::atomic_ref<std::uint32_t>{*flag}.store(0);
  }
  void block_stream() {
    ASSERT_EQ(launch(kernel(kWaitForFlag), {.block = 1, .stream = stream},
                     reinterpret_cast<CUdeviceptr>(flag)),
              CUDA_SUCCESS);
  }
  void release_stream() { std::atomic_ref<std::uint32_t>{*flag}.store(1); }

  CUstream stream = nullptr;
  std::uint32_t* flag = nullptr;
};

TEST_F(Streams, AreNotReadyUntilTheirWorkIsDone) {
  block_stream();
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);

  release_stream();
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamQuery(stream), CUDA_SUCCESS);
}

TEST_F(Streams, LaunchesComeBackBeforeTheKernelHasRun) {
  const CUdeviceptr out = allocate(128);
  block_stream();

  EXPECT_EQ(launch(kernel(kStoreIndex), {.stream = stream}, out), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);

  release_stream();
  EXPECT_EQ(read(out, 32)[31], 31);
}

TEST_F(Streams, KeepTheOrderOfWhatTheyAreGiven) {
  const CUdeviceptr out = allocate(128);
  block_stream();
  EXPECT_EQ(cuMemsetD32Async(out, 7, 32, stream), CUDA_SUCCESS);
  EXPECT_EQ(launch(kernel(kStoreIndex), {.block = 16, .stream = stream}, out), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD32Async(out, 9, 2, stream), CUDA_SUCCESS);
  release_stream();
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);

  const auto words = read(out, 32);
  EXPECT_EQ(words[1], 9);
  EXPECT_EQ(words[2], 2);
  EXPECT_EQ(words[31], 7);
}

TEST_F(Streams, TakeSmallPageableCopiesAtTheTimeOfTheCall) {
  const CUdeviceptr out = allocate(4);
  block_stream();
  std::uint32_t value = 5;

  EXPECT_EQ(cuMemcpyHtoDAsync(out, &value, 4, stream), CUDA_SUCCESS);
  value = 6;
  release_stream();

  EXPECT_EQ(read(out, 1)[0], 5);
}

TEST_F(Streams, CopiesToPageableMemoryAreDoneOnReturn) {
  const CUdeviceptr out = allocate(4);
  std::uint32_t value = 0;
  ASSERT_EQ(cuMemsetD32Async(out, 77, 1, stream), CUDA_SUCCESS);

  EXPECT_EQ(cuMemcpyDtoHAsync(&value, out, 4, stream), CUDA_SUCCESS);

  EXPECT_EQ(value, 77);
}

TEST_F(Streams, RunHostFunctionsInOrder) {
  std::atomic<int> seen = 0;
  block_stream();
  EXPECT_EQ(cuLaunchHostFunc(
                stream, [](void* data) { *static_cast<std::atomic<int>*>(data) = 3; }, &seen),
            CUDA_SUCCESS);
  EXPECT_EQ(seen, 0);

  release_stream();
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(seen, 3);
}

TEST_F(Streams, AllocateAndFreeInOrder) {
  CUdeviceptr address = 0;
  ASSERT_EQ(cuMemAllocAsync(&address, 128, stream), CUDA_SUCCESS);

  EXPECT_EQ(launch(kernel(kStoreIndex), {.stream = stream}, address), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFreeAsync(address, stream), CUDA_SUCCESS);

  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFreeAsync(address, stream), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Streams, ThatDoNotExistAreRefused) {
  const auto garbage = made_up<CUstream>();

  EXPECT_EQ(cuStreamSynchronize(garbage), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamDestroy(garbage), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamDestroy(stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamCreate(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamCreate(&stream, 8), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Streams, CanBeUsedFromManyThreadsAtOnce) {
  const CUfunction function = kernel(kStoreIndex);
  const auto work = [&] {
    ASSERT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
    CUstream own = nullptr;
    ASSERT_EQ(cuStreamCreate(&own, 0), CUDA_SUCCESS);
    for (int i = 0; i < 20; ++i) {
      const CUdeviceptr out = allocate(256);
      ASSERT_EQ(launch(function, {.grid = 2, .stream = own}, out), CUDA_SUCCESS);
      ASSERT_EQ(cuStreamSynchronize(own), CUDA_SUCCESS);
      ASSERT_EQ(read(out, 64)[63], 63);
      ASSERT_EQ(cuMemFree(out), CUDA_SUCCESS);
    }
    ASSERT_EQ(cuStreamDestroy(own), CUDA_SUCCESS);
  };

  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
}

TEST_F(Streams, OfEachThreadAreItsOwn) {
  unsigned long long legacy = 0;
  unsigned long long here = 0;
  unsigned long long again = 0;
  unsigned long long there = 0;
  ASSERT_EQ(cuStreamGetId(CU_STREAM_LEGACY, &legacy), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamGetId(CU_STREAM_PER_THREAD, &here), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamGetId(CU_STREAM_PER_THREAD, &again), CUDA_SUCCESS);
  std::thread([&] {
    cuCtxSetCurrent(context);
    cuStreamGetId(CU_STREAM_PER_THREAD, &there);
  }).join();

  EXPECT_EQ(here, again);
  EXPECT_NE(here, there);
  EXPECT_NE(here, legacy);
}

TEST_F(Streams, TheLegacyOneWaitsForBlockingStreamsAlone) {
  CUstream blocking = nullptr;
  ASSERT_EQ(cuStreamCreate(&blocking, CU_STREAM_DEFAULT), CUDA_SUCCESS);
  block_stream();
  EXPECT_EQ(cuStreamQuery(CU_STREAM_LEGACY), CUDA_SUCCESS);
  release_stream();
  ASSERT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  std::atomic_ref<std::uint32_t>{*flag}.store(0);

  ASSERT_EQ(launch(kernel(kWaitForFlag), {.block = 1, .stream = blocking},
                   reinterpret_cast<CUdeviceptr>(flag)),
            CUDA_SUCCESS);
  EXPECT_EQ(cuStreamQuery(CU_STREAM_LEGACY), CUDA_ERROR_NOT_READY);

  release_stream();
  EXPECT_EQ(cuStreamSynchronize(CU_STREAM_LEGACY), CUDA_SUCCESS);
}

TEST_F(Streams, KeepTheirAttributes) {
  CUstream other = nullptr;
  ASSERT_EQ(cuStreamCreate(&other, 0), CUDA_SUCCESS);
  CUstreamAttrValue value{};
  value.syncPolicy = CU_SYNC_POLICY_YIELD;
  const auto which = CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY;

  EXPECT_EQ(cuStreamSetAttribute(stream, which, &value), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamCopyAttributes(other, stream), CUDA_SUCCESS);
  value = {};
  EXPECT_EQ(cuStreamGetAttribute(other, which, &value), CUDA_SUCCESS);
  EXPECT_EQ(value.syncPolicy, CU_SYNC_POLICY_YIELD);
  EXPECT_EQ(cuStreamGetAttribute(stream, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value),
            CUDA_ERROR_INVALID_VALUE);
}

class Events : public Streams {
 protected:
  static CUevent event(unsigned flags = 0) {
    CUevent made = nullptr;
    EXPECT_EQ(cuEventCreate(&made, flags), CUDA_SUCCESS);
    return made;
  }
};

TEST_F(Events, MeasureTheTimeBetweenThem) {
  const CUevent start = event();
  const CUevent end = event();
  ASSERT_EQ(cuEventRecord(start, stream), CUDA_SUCCESS);
  block_stream();
  ASSERT_EQ(cuEventRecord(end, stream), CUDA_SUCCESS);

  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  release_stream();
  ASSERT_EQ(cuEventSynchronize(end), CUDA_SUCCESS);

  float milliseconds = 0;
  EXPECT_EQ(cuEventElapsedTime(&milliseconds, start, end), CUDA_SUCCESS);
  EXPECT_GT(milliseconds, 25.0F);
  EXPECT_LT(milliseconds, 10000.0F);
}

TEST_F(Events, AreNotReadyBeforeTheStreamReachesThem) {
  const CUevent start = event();
  const CUevent end = event();
  float milliseconds = 0;
  ASSERT_EQ(cuEventRecord(start, stream), CUDA_SUCCESS);
  block_stream();
  ASSERT_EQ(cuEventRecord(end, stream), CUDA_SUCCESS);

  EXPECT_EQ(cuEventQuery(end), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cuEventElapsedTime(&milliseconds, start, end), CUDA_ERROR_NOT_READY);

  release_stream();
  EXPECT_EQ(cuEventSynchronize(end), CUDA_SUCCESS);
  EXPECT_EQ(cuEventQuery(end), CUDA_SUCCESS);
}

TEST_F(Events, ThatWereNeverRecordedHaveNoTime) {
  const CUevent recorded = event();
  const CUevent never = event();
  float milliseconds = 0;
  ASSERT_EQ(cuEventRecord(recorded, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);

  EXPECT_EQ(cuEventQuery(never), CUDA_SUCCESS);
  EXPECT_EQ(cuEventElapsedTime(&milliseconds, recorded, never), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Events, WithoutTimingHaveNoTime) {
  const CUevent untimed = event(CU_EVENT_DISABLE_TIMING);
  float milliseconds = 0;
  ASSERT_EQ(cuEventRecord(untimed, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuEventSynchronize(untimed), CUDA_SUCCESS);

  EXPECT_EQ(cuEventElapsedTime(&milliseconds, untimed, untimed), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Events, HoldBackOtherStreams) {
  const CUevent reached = event();
  CUstream other = nullptr;
  ASSERT_EQ(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  block_stream();
  ASSERT_EQ(cuEventRecord(reached, stream), CUDA_SUCCESS);

  EXPECT_EQ(cuStreamWaitEvent(other, reached, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamQuery(other), CUDA_ERROR_NOT_READY);

  release_stream();
  EXPECT_EQ(cuStreamSynchronize(other), CUDA_SUCCESS);
}

TEST_F(Events, ThatDoNotExistAreRefused) {
  const auto garbage = made_up<CUevent>();
  CUevent made = nullptr;

  EXPECT_EQ(cuEventRecord(garbage, stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventDestroy(garbage), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventSynchronize(nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventCreate(&made, 64), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace emulator::api
