// Launches that may begin while the one before them in their stream is under way.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "api/emulated_device.h"

namespace emulator::api {
namespace {

constexpr const char* kKernels = R"(
// Lets the next launch begin, and writes behind that: a[i] = 1.
.visible .entry write_late(.param .u64 a) {
  .reg .b32 %r<5>; .reg .b64 %rd<4>;
  griddepcontrol.launch_dependents;
  ld.param.u64 %rd1, [a];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %rd2, %r4, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], 1;
  ret;
}
// The same without letting it.
.visible .entry write(.param .u64 a) {
  .reg .b32 %r<5>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [a];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %rd2, %r4, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], 1;
  ret;
}
// b[i] = a[i]
.visible .entry copy(.param .u64 a, .param .u64 b) {
  .reg .b32 %r<6>; .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %rd3, %r4, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.u32 %r5, [%rd4];
  st.global.u32 [%rd5], %r5;
  ret;
}
// The same once all launches before it have completed.
.visible .entry wait_and_copy(.param .u64 a, .param .u64 b) {
  .reg .b32 %r<6>; .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %rd3, %r4, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  griddepcontrol.wait;
  ld.global.u32 %r5, [%rd4];
  st.global.u32 [%rd5], %r5;
  ret;
}
// Lets the next launch begin, and waits until *a is 1.
.visible .entry wait_for_flag(.param .u64 a) {
  .reg .pred %p<2>; .reg .b32 %r<2>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [a];
  griddepcontrol.launch_dependents;
LOOP:
  ld.volatile.global.u32 %r1, [%rd1];
  setp.ne.u32 %p1, %r1, 1;
  @%p1 bra LOOP;
  ret;
}
// Lets the next launch begin, waits for those before, and adds 1: a[n + 1] = a[n] + 1.
.visible .entry step(.param .u64 a, .param .u64 n) {
  .reg .b32 %r<3>; .reg .b64 %rd<4>;
  griddepcontrol.launch_dependents;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [n];
  shl.b64 %rd2, %rd2, 2;
  add.s64 %rd3, %rd1, %rd2;
  griddepcontrol.wait;
  ld.global.u32 %r1, [%rd3];
  add.u32 %r2, %r1, 1;
  st.global.u32 [%rd3 + 4], %r2;
  ret;
})";

class ProgrammaticLaunches : public EmulatedDevice {
 protected:
  static constexpr unsigned kBlocks = 60;
  static constexpr unsigned kThreads = 96;
  static constexpr std::size_t kWords = std::size_t{kBlocks} * kThreads;
  static constexpr Shape kMany = {.grid = kBlocks, .block = kThreads};

  void SetUp() override {
    EmulatedDevice::SetUp();
    module = load(kKernels);
    a = zeros(kWords);
    b = zeros(kWords);
    EXPECT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  }

  static CUdeviceptr zeros(std::size_t words) {
    const CUdeviceptr address = allocate(words * sizeof(std::uint32_t));
    EXPECT_EQ(cuMemsetD32(address, 0, words), CUDA_SUCCESS);
    return address;
  }
  [[nodiscard]] CUfunction kernel_of(const char* name) const { return kernel(module, name); }
  [[nodiscard]] Shape many() const {
    return {.grid = kBlocks, .block = kThreads, .stream = stream};
  }
  [[nodiscard]] Shape one() const { return {.block = 1, .stream = stream}; }

  static CUlaunchAttribute attribute(int allowed = 1) {
    CUlaunchAttribute made{};
    made.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    made.value.programmaticStreamSerializationAllowed = allowed;
    return made;
  }
  template <typename... Arguments>
  static CUresult launch_with(std::vector<CUlaunchAttribute> attributes, CUfunction function,
                              const Shape& shape, Arguments... arguments) {
    void* pointers[] = {&arguments..., nullptr};
    CUlaunchConfig config{};
    config.gridDimX = shape.grid;
    config.blockDimX = shape.block;
    config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
    config.sharedMemBytes = shape.shared_bytes;
    config.hStream = shape.stream;
    config.attrs = attributes.data();
    config.numAttrs = static_cast<unsigned>(attributes.size());
    return cuLaunchKernelEx(&config, function, pointers, nullptr);
  }
  // May begin while the one before it is under way.
  template <typename... Arguments>
  static CUresult join(CUfunction function, const Shape& shape, Arguments... arguments) {
    return launch_with({attribute()}, function, shape, arguments...);
  }
  // How many of the words are 1, once all is done.
  static std::ptrdiff_t ones(CUdeviceptr address) {
    EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    const auto words = read(address, kWords);
    return std::ranges::count(words, 1U);
  }
  // What a copy of a, behind a launch that writes it late and `between`, finds of it.
  template <typename Between>
  std::ptrdiff_t found_behind(const Between& between) {
    EXPECT_EQ(launch(kernel_of("write_late"), many(), a), CUDA_SUCCESS);
    between();
    EXPECT_EQ(join(kernel_of("copy"), many(), a, b), CUDA_SUCCESS);
    return ones(b);
  }

  CUmodule module = nullptr;
  CUstream stream = nullptr;
  CUdeviceptr a = 0;
  CUdeviceptr b = 0;
};

TEST_F(ProgrammaticLaunches, BeginWhileTheOneBeforeWaitsForThem) {
  EXPECT_EQ(launch(kernel_of("wait_for_flag"), many(), a), CUDA_SUCCESS);
  EXPECT_EQ(join(kernel_of("write"), one(), a), CUDA_SUCCESS);

  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
}

TEST_F(ProgrammaticLaunches, ReadWhatWasThereBeforeWhereTheyDoNotWait) {
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(found_behind([] {}), 0);
    EXPECT_EQ(ones(a), kWords);
    EXPECT_EQ(cuMemsetD32(a, 0, kWords), CUDA_SUCCESS);
  }
}

TEST_F(ProgrammaticLaunches, ReadEverythingWhereTheyWait) {
  EXPECT_EQ(launch(kernel_of("write_late"), many(), a), CUDA_SUCCESS);
  EXPECT_EQ(join(kernel_of("wait_and_copy"), many(), a, b), CUDA_SUCCESS);

  EXPECT_EQ(ones(b), kWords);
}

TEST_F(ProgrammaticLaunches, NeedTheAttribute) {
  EXPECT_EQ(launch(kernel_of("write_late"), many(), a), CUDA_SUCCESS);
  EXPECT_EQ(launch(kernel_of("copy"), many(), a, b), CUDA_SUCCESS);
  EXPECT_EQ(ones(b), kWords);

  EXPECT_EQ(cuMemsetD32(a, 0, kWords), CUDA_SUCCESS);
  EXPECT_EQ(launch(kernel_of("write_late"), many(), a), CUDA_SUCCESS);
  EXPECT_EQ(launch_with({attribute(0)}, kernel_of("copy"), many(), a, b), CUDA_SUCCESS);
  EXPECT_EQ(ones(b), kWords);
}

TEST_F(ProgrammaticLaunches, BeginAtTheEndOfAKernelThatSaysNothing) {
  EXPECT_EQ(launch(kernel_of("write"), many(), a), CUDA_SUCCESS);
  EXPECT_EQ(join(kernel_of("copy"), many(), a, b), CUDA_SUCCESS);

  EXPECT_EQ(ones(b), kWords);
}

TEST_F(ProgrammaticLaunches, AreFollowedByOnesThatFindEverything) {
  const CUdeviceptr c = zeros(kWords);

  EXPECT_EQ(launch(kernel_of("write_late"), many(), a), CUDA_SUCCESS);
  EXPECT_EQ(join(kernel_of("copy"), many(), a, b), CUDA_SUCCESS);
  EXPECT_EQ(launch(kernel_of("copy"), many(), a, c), CUDA_SUCCESS);

  EXPECT_EQ(ones(b), 0);
  EXPECT_EQ(ones(c), kWords);
}

TEST_F(ProgrammaticLaunches, FollowEachOtherAnyNumberOfTimes) {
  constexpr std::uint64_t kSteps = 300;
  for (std::uint64_t n = 0; n < kSteps; ++n) {
    EXPECT_EQ(join(kernel_of("step"), one(), a, n), CUDA_SUCCESS);
  }

  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(read(a, kSteps + 1)[kSteps], kSteps);
}

TEST_F(ProgrammaticLaunches, AreUnderWayTogetherUpToSixteen) {
  for (int i = 0; i < 15; ++i) {
    EXPECT_EQ(join(kernel_of("wait_for_flag"), one(), a), CUDA_SUCCESS);
  }
  EXPECT_EQ(join(kernel_of("write"), one(), a), CUDA_SUCCESS);

  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
}

TEST_F(ProgrammaticLaunches, DoNotPassWhatTheStreamIsGivenBetween) {
  const CUdeviceptr c = zeros(kWords);
  CUevent event = nullptr;
  ASSERT_EQ(cuEventCreate(&event, CU_EVENT_DEFAULT), CUDA_SUCCESS);
  CUstream other = nullptr;
  ASSERT_EQ(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  const auto again = [&] { EXPECT_EQ(cuMemsetD32(a, 0, kWords), CUDA_SUCCESS); };

  EXPECT_EQ(found_behind([&] { EXPECT_EQ(cuEventRecord(event, stream), CUDA_SUCCESS); }), kWords);
  again();
  EXPECT_EQ(found_behind([&] { EXPECT_EQ(cuMemcpyDtoDAsync(c, a, 4, stream), CUDA_SUCCESS); }),
            kWords);
  EXPECT_EQ(read(c, 1)[0], 1);
  again();
  EXPECT_EQ(found_behind(
                [&] { EXPECT_EQ(cuLaunchHostFunc(stream, [](void*) {}, nullptr), CUDA_SUCCESS); }),
            kWords);
  again();
  EXPECT_EQ(found_behind([&] {
              EXPECT_EQ(launch(kernel_of("write"), {.stream = other}, c), CUDA_SUCCESS);
              EXPECT_EQ(cuEventRecord(event, other), CUDA_SUCCESS);
              EXPECT_EQ(cuStreamWaitEvent(stream, event, 0), CUDA_SUCCESS);
            }),
            kWords);
  again();
  EXPECT_EQ(found_behind([&] { EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS); }), kWords);
}

TEST_F(ProgrammaticLaunches, DoNotPassWhatOtherStreamsAreGivenBetween) {
  CUstream other = nullptr;
  ASSERT_EQ(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  const CUdeviceptr c = zeros(kWords);
  const auto again = [&] { EXPECT_EQ(cuMemsetD32(a, 0, kWords), CUDA_SUCCESS); };
  const auto give = [&](CUstream to) {
    EXPECT_EQ(launch(kernel_of("write"), {.stream = to}, c), CUDA_SUCCESS);
  };

  EXPECT_EQ(found_behind([&] { give(other); }), kWords);
  again();
  EXPECT_EQ(found_behind([&] { give(CU_STREAM_LEGACY); }), kWords);
  again();
  EXPECT_EQ(found_behind([] {}), 0);
  again();
  std::swap(stream, other);
  EXPECT_EQ(found_behind([&] { give(other); }), kWords);
}

TEST_F(ProgrammaticLaunches, MayWaitForAnEarlierLaunchOfAnotherStream) {
  CUstream other = nullptr;
  ASSERT_EQ(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);

  EXPECT_EQ(launch(kernel_of("write_late"), one(), b), CUDA_SUCCESS);
  EXPECT_EQ(launch(kernel_of("write"), {.block = 1, .stream = other}, a), CUDA_SUCCESS);
  EXPECT_EQ(join(kernel_of("wait_for_flag"), one(), a), CUDA_SUCCESS);

  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
}

TEST_F(ProgrammaticLaunches, RunInTheDefaultStreamOfAThread) {
  stream = CU_STREAM_PER_THREAD;

  EXPECT_EQ(found_behind([] {}), 0);
}

TEST_F(ProgrammaticLaunches, RunFromSeveralThreads) {
  constexpr std::uint64_t kSteps = 60;
  constexpr std::size_t kHosts = 3;
  std::vector<std::thread> hosts;
  hosts.reserve(kHosts);
  for (std::size_t host = 0; host < kHosts; ++host) {
    hosts.emplace_back([&, words = a + host * (kSteps + 1) * sizeof(std::uint32_t)] {
      EXPECT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
      const Shape shape{.block = 1, .stream = CU_STREAM_PER_THREAD};
      for (std::uint64_t n = 0; n < kSteps; ++n) {
        EXPECT_EQ(join(kernel_of("step"), shape, words, n), CUDA_SUCCESS);
      }
      EXPECT_EQ(cuStreamSynchronize(CU_STREAM_PER_THREAD), CUDA_SUCCESS);
    });
  }
  for (std::thread& host : hosts) host.join();

  const auto words = read(a, kHosts * (kSteps + 1));
  for (std::size_t host = 0; host < kHosts; ++host) {
    EXPECT_EQ(words[(host + 1) * (kSteps + 1) - 1], kSteps);
  }
}

TEST_F(ProgrammaticLaunches, KeepTheirOrderInAStreamOfSeveralThreads) {
  constexpr std::uint64_t kSteps = 5000;
  constexpr std::size_t kHosts = 4;
  const CUdeviceptr all = zeros(kHosts * (kSteps + 1));
  std::vector<std::thread> hosts;
  hosts.reserve(kHosts);
  for (std::size_t host = 0; host < kHosts; ++host) {
    hosts.emplace_back([&, words = all + host * (kSteps + 1) * sizeof(std::uint32_t)] {
      EXPECT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
      const CUfunction step = kernel_of("step");
      for (std::uint64_t n = 0; n < kSteps; ++n) {
        EXPECT_EQ(join(step, one(), words, n), CUDA_SUCCESS);
      }
    });
  }
  for (std::thread& host : hosts) host.join();

  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  const auto words = read(all, kHosts * (kSteps + 1));
  for (std::size_t host = 0; host < kHosts; ++host) {
    EXPECT_EQ(words[(host + 1) * (kSteps + 1) - 1], kSteps);
  }
}

TEST_F(ProgrammaticLaunches, GoOnWhereNobodyAsksForThem) {
  void* flag = nullptr;
  ASSERT_EQ(cuMemHostAlloc(&flag, 4, CU_MEMHOSTALLOC_DEVICEMAP), CUDA_SUCCESS);
  const std::atomic_ref word(*static_cast<std::uint32_t*>(flag));
  word = 0;

  EXPECT_EQ(launch(kernel_of("write_late"), one(), reinterpret_cast<CUdeviceptr>(flag)),
            CUDA_SUCCESS);

  const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (word != 1 && std::chrono::steady_clock::now() < late) std::this_thread::yield();
  EXPECT_EQ(word, 1);
  EXPECT_EQ(cuMemFreeHost(flag), CUDA_SUCCESS);
}

TEST_F(ProgrammaticLaunches, DoNotHoldUpLaunchesThatDoNotJoin) {
  const auto begin = std::chrono::steady_clock::now();
  const CUfunction late = kernel_of("write_late");
  const CUfunction copy = kernel_of("copy");
  for (int i = 0; i < 60; ++i) {
    EXPECT_EQ(launch(late, one(), a), CUDA_SUCCESS);
    EXPECT_EQ(launch(late, one(), a), CUDA_SUCCESS);
    EXPECT_EQ(join(copy, one(), a, b), CUDA_SUCCESS);
  }
  // No call asks for them.
  std::atomic<bool> done = false;
  EXPECT_EQ(cuLaunchHostFunc(
                stream, [](void* flag) { *static_cast<std::atomic<bool>*>(flag) = true; }, &done),
            CUDA_SUCCESS);
  while (!done) std::this_thread::yield();

  // Blocks that have let the next launch begin would rest for half a second each time.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(15));
}

constexpr const char* kFaults = R"(
.visible .entry late(.param .u64 a) {
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [a];
  griddepcontrol.launch_dependents;
  st.global.u32 [%rd1 + 8], 1;
  ret;
}
.visible .entry second(.param .u64 a) {
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [a];
  st.global.u32 [%rd1 + 8], 1;
  griddepcontrol.wait;
  ret;
})";

TEST_F(ProgrammaticLaunches, EndWithTheFaultOfTheOneBefore) {
  const CUdeviceptr small = allocate(8);
  EXPECT_EQ(launch(kernel(load(kFaults), "late"), one(), small), CUDA_SUCCESS);
  EXPECT_EQ(join(kernel_of("wait_and_copy"), many(), a, b), CUDA_SUCCESS);
  EXPECT_EQ(join(kernel_of("step"), one(), a, std::uint64_t{0}), CUDA_SUCCESS);

  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
  ASSERT_NE(emuFault(), nullptr);
  EXPECT_EQ(emuFault()->ptx_line, 9);
}

TEST_F(ProgrammaticLaunches, EndTheOneBeforeWithAFaultOfTheirOwn) {
  const CUdeviceptr small = allocate(8);
  const CUfunction second = kernel(load(kFaults), "second");
  const CUfunction write = kernel_of("write");
  EXPECT_EQ(launch(kernel_of("wait_for_flag"), many(), a), CUDA_SUCCESS);
  EXPECT_EQ(join(second, one(), small), CUDA_SUCCESS);

  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
  ASSERT_NE(emuFault(), nullptr);
  EXPECT_EQ(emuFault()->ptx_line, 15);
  EXPECT_EQ(join(write, one(), a), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(ProgrammaticLaunches, MayBeOfClusters) {
  CUlaunchAttribute cluster{};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim = {4, 1, 1};
  EXPECT_EQ(launch_with({cluster}, kernel_of("write_late"), many(), a), CUDA_SUCCESS);
  EXPECT_EQ(launch_with({cluster, attribute()}, kernel_of("wait_and_copy"), many(), a, b),
            CUDA_SUCCESS);
  EXPECT_EQ(ones(b), kWords);

  EXPECT_EQ(cuMemsetD32(a, 0, kWords), CUDA_SUCCESS);
  EXPECT_EQ(launch_with({cluster}, kernel_of("write_late"), many(), a), CUDA_SUCCESS);
  EXPECT_EQ(launch_with({cluster, attribute()}, kernel_of("copy"), many(), a, b), CUDA_SUCCESS);
  EXPECT_EQ(ones(b), 0);
}

TEST_F(ProgrammaticLaunches, ComeBehindTheOneBeforeWhereTheyAreCooperative) {
  CUlaunchAttribute cooperative{};
  cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  cooperative.value.cooperative = 1;
  const Shape shape{.grid = 2, .block = kThreads, .stream = stream};
  EXPECT_EQ(launch_with({cooperative}, kernel_of("write_late"), shape, a), CUDA_SUCCESS);
  EXPECT_EQ(launch_with({cooperative, attribute()}, kernel_of("copy"), shape, a, b), CUDA_SUCCESS);

  EXPECT_EQ(ones(b), 2 * kThreads);
}

TEST_F(ProgrammaticLaunches, MayLoseTheirStreamAndTheirModule) {
  EXPECT_EQ(launch(kernel_of("write_late"), many(), a), CUDA_SUCCESS);
  EXPECT_EQ(join(kernel_of("wait_and_copy"), many(), a, b), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamDestroy(stream), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);

  EXPECT_EQ(ones(b), kWords);
}

TEST_F(ProgrammaticLaunches, AreCarriedOutBeforeTheirContextIsDestroyed) {
  CUcontext other = nullptr;
  ASSERT_EQ(cuCtxCreate(&other, nullptr, 0, device), CUDA_SUCCESS);
  const CUmodule own = load(kKernels);
  void* words = nullptr;
  ASSERT_EQ(cuMemHostAlloc(&words, 8, CU_MEMHOSTALLOC_PORTABLE), CUDA_SUCCESS);
  std::fill_n(static_cast<std::uint32_t*>(words), 2, 0U);
  const auto address = reinterpret_cast<CUdeviceptr>(words);
  const Shape shape{.block = 1, .stream = CU_STREAM_PER_THREAD};
  EXPECT_EQ(launch(kernel(own, "write_late"), shape, address), CUDA_SUCCESS);
  EXPECT_EQ(join(kernel(own, "wait_and_copy"), shape, address, address + 4), CUDA_SUCCESS);
  std::atomic<std::uint32_t> seen = 0;
  struct Seen {
    std::atomic<std::uint32_t>* value;
    const std::uint32_t* word;
  } note{&seen, static_cast<const std::uint32_t*>(words) + 1};
  EXPECT_EQ(cuLaunchHostFunc(
                CU_STREAM_PER_THREAD,
                [](void* data) {
                  const auto& to = *static_cast<Seen*>(data);
                  *to.value = *to.word;
                },
                &note),
            CUDA_SUCCESS);

  EXPECT_EQ(cuCtxDestroy(other), CUDA_SUCCESS);

  EXPECT_EQ(seen, 1);
}

TEST_F(ProgrammaticLaunches, PrintInTheirOrderWhereTheyWait) {
  const CUfunction print = kernel(R"(
.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 arguments);
.global .align 1 .b8 text[4] = {37, 100, 10, 0};
.visible .entry k(.param .u32 number) {
  .local .align 8 .b8 depot[8];
  .reg .b32 %r<3>; .reg .b64 %rd<5>;
  griddepcontrol.launch_dependents;
  griddepcontrol.wait;
  mov.u64 %rd1, depot;
  cvta.local.u64 %rd2, %rd1;
  ld.param.u32 %r1, [number];
  st.local.u32 [%rd1], %r1;
  mov.u64 %rd3, text;
  cvta.global.u64 %rd4, %rd3;
  {
    .param .b64 param0; st.param.b64 [param0], %rd4;
    .param .b64 param1; st.param.b64 [param1], %rd2;
    .param .b32 retval0;
    call.uni (retval0), vprintf, (param0, param1);
    ld.param.b32 %r2, [retval0];
  }
  ret;
})");

  testing::internal::CaptureStdout();
  for (std::uint32_t number = 1; number <= 3; ++number) {
    EXPECT_EQ(join(print, one(), number), CUDA_SUCCESS);
  }
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);

  EXPECT_EQ(testing::internal::GetCapturedStdout(), "1\n2\n3\n");
}

TEST_F(ProgrammaticLaunches, MayRecordEventsAndBeJoinedAllTheSame) {
  CUstream other = nullptr;
  ASSERT_EQ(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  const CUdeviceptr c = zeros(kWords);
  std::vector<CUlaunchAttribute> recording(2);
  recording[0].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT;
  recording[1].id = CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT;
  CUevent event = nullptr;
  ASSERT_EQ(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  recording[0].value.programmaticEvent.event = event;
  ASSERT_EQ(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  recording[1].value.launchCompletionEvent.event = event;

  EXPECT_EQ(launch_with(recording, kernel_of("write_late"), many(), a), CUDA_SUCCESS);
  EXPECT_EQ(join(kernel_of("copy"), many(), a, b), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitEvent(other, recording[0].value.programmaticEvent.event, 0), CUDA_SUCCESS);
  EXPECT_EQ(launch(kernel_of("copy"), {.grid = kBlocks, .block = kThreads, .stream = other}, a, c),
            CUDA_SUCCESS);

  EXPECT_EQ(cuEventSynchronize(event), CUDA_SUCCESS);
  EXPECT_EQ(ones(b), 0);
  EXPECT_EQ(ones(c), kWords);
}

TEST_F(ProgrammaticLaunches, RecordNoEventThatKeepsTheTime) {
  CUlaunchAttribute recording{};
  recording.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT;
  ASSERT_EQ(cuEventCreate(&recording.value.programmaticEvent.event, CU_EVENT_DEFAULT),
            CUDA_SUCCESS);
  const auto attempt = [&] { return launch_with({recording}, kernel_of("write_late"), one(), a); };
  EXPECT_EQ(attempt(), CUDA_ERROR_INVALID_VALUE);

  ASSERT_EQ(cuEventCreate(&recording.value.programmaticEvent.event, CU_EVENT_DISABLE_TIMING),
            CUDA_SUCCESS);
  recording.value.programmaticEvent.flags = CU_EVENT_RECORD_EXTERNAL;
  EXPECT_EQ(attempt(), CUDA_ERROR_INVALID_VALUE);
  recording.value.programmaticEvent.flags = 0;
  EXPECT_EQ(attempt(), CUDA_SUCCESS);
  recording.value.programmaticEvent.event = made_up<CUevent>();
  EXPECT_EQ(attempt(), CUDA_ERROR_INVALID_HANDLE);

  EXPECT_EQ(ones(a), 1);
}

// The same in graphs.
class ProgrammaticEdges : public ProgrammaticLaunches {
 protected:
  void SetUp() override {
    ProgrammaticLaunches::SetUp();
    ASSERT_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
  }

  template <typename... Arguments>
  CUgraphNode node(const char* name, Arguments... arguments) const {
    void* pointers[] = {&arguments..., nullptr};
    CUDA_KERNEL_NODE_PARAMS parameters{};
    parameters.func = kernel_of(name);
    parameters.gridDimX = kBlocks;
    parameters.blockDimX = kThreads;
    parameters.gridDimY = parameters.gridDimZ = 1;
    parameters.blockDimY = parameters.blockDimZ = 1;
    parameters.kernelParams = pointers;
    CUgraphNode made = nullptr;
    EXPECT_EQ(cuGraphAddKernelNode(&made, graph, nullptr, 0, &parameters), CUDA_SUCCESS);
    return made;
  }
  static CUgraphEdgeData edge(unsigned char port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC) {
    CUgraphEdgeData made{};
    made.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    made.from_port = port;
    return made;
  }
  [[nodiscard]] CUresult connect(CUgraphNode from, CUgraphNode to,
                                 const CUgraphEdgeData& data) const {
    return cuGraphAddDependencies(graph, &from, &to, &data, 1);
  }
  [[nodiscard]] CUgraphExec instantiate() const {
    CUgraphExec exec = nullptr;
    EXPECT_EQ(cuGraphInstantiate(&exec, graph, 0), CUDA_SUCCESS);
    return exec;
  }
  // How much of a, which is zeros before, the graph has copied to b.
  std::ptrdiff_t found_by(CUgraphExec exec) const {
    EXPECT_EQ(cuMemsetD32(a, 0, kWords), CUDA_SUCCESS);
    EXPECT_EQ(cuMemsetD32(b, 7, kWords), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS);
    EXPECT_EQ(ones(a), kWords);
    return ones(b);
  }

  CUgraph graph = nullptr;
};

TEST_F(ProgrammaticEdges, AreCaptured) {
  ASSERT_EQ(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  EXPECT_EQ(launch(kernel_of("write_late"), many(), a), CUDA_SUCCESS);
  EXPECT_EQ(join(kernel_of("copy"), many(), a, b), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);

  CUgraphNode from = nullptr;
  CUgraphNode to = nullptr;
  CUgraphEdgeData data{};
  std::size_t count = 1;
  EXPECT_EQ(cuGraphGetEdges(graph, &from, &to, &data, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(data.type, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);
  EXPECT_EQ(data.from_port, CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC);
  EXPECT_EQ(cuGraphGetEdges(graph, &from, &to, nullptr, &count), CUDA_ERROR_LOSSY_QUERY);

  CUgraphExec exec = instantiate();
  EXPECT_EQ(found_by(exec), 0);
  EXPECT_EQ(found_by(exec), 0);
  // A copy of the graph has them too.
  ASSERT_EQ(cuGraphClone(&graph, graph), CUDA_SUCCESS);
  exec = instantiate();
  EXPECT_EQ(found_by(exec), 0);
}

TEST_F(ProgrammaticEdges, AreFullBehindAnEventThatALaunchRecords) {
  CUstream other = nullptr;
  ASSERT_EQ(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  CUlaunchAttribute recording{};
  recording.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT;
  CUevent back = nullptr;
  CUevent& event = recording.value.programmaticEvent.event;
  ASSERT_EQ(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&back, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);

  ASSERT_EQ(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  EXPECT_EQ(launch_with({recording}, kernel_of("write_late"), many(), a), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitEvent(other, event, 0), CUDA_SUCCESS);
  EXPECT_EQ(launch(kernel_of("copy"), {.grid = kBlocks, .block = kThreads, .stream = other}, a, b),
            CUDA_SUCCESS);
  EXPECT_EQ(cuEventRecord(back, other), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitEvent(stream, back, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);

  EXPECT_EQ(found_by(instantiate()), kWords);
}

TEST_F(ProgrammaticEdges, LetLaunchesThatWaitFindEverything) {
  ASSERT_EQ(connect(node("write_late", a), node("wait_and_copy", a, b), edge()), CUDA_SUCCESS);

  EXPECT_EQ(found_by(instantiate()), kWords);
}

TEST_F(ProgrammaticEdges, AreMadeAndTakenAway) {
  const CUgraphNode first = node("write_late", a);
  const CUgraphNode second = node("copy", a, b);
  ASSERT_EQ(connect(first, second, edge()), CUDA_SUCCESS);
  const CUgraphExec exec = instantiate();
  EXPECT_EQ(found_by(exec), 0);

  const CUgraphEdgeData plain{};
  const CUgraphEdgeData right = edge();
  EXPECT_EQ(cuGraphRemoveDependencies(graph, &first, &second, &plain, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphRemoveDependencies(graph, &first, &second, &right, 1), CUDA_SUCCESS);
  ASSERT_EQ(connect(first, second, plain), CUDA_SUCCESS);
  EXPECT_EQ(found_by(instantiate()), kWords);

  // What has the other edge is another graph.
  CUgraphExecUpdateResultInfo info{};
  EXPECT_EQ(cuGraphExecUpdate(exec, graph, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
}

TEST_F(ProgrammaticEdges, OverlapInEachBranch) {
  const CUdeviceptr c = zeros(kWords);
  const CUgraphNode first = node("wait_for_flag", a);
  const CUgraphNode other = node("wait_for_flag", c);
  ASSERT_EQ(connect(first, node("write", a), edge()), CUDA_SUCCESS);
  ASSERT_EQ(connect(other, node("write", c), edge()), CUDA_SUCCESS);

  EXPECT_EQ(cuGraphLaunch(instantiate(), stream), CUDA_SUCCESS);

  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
}

TEST_F(ProgrammaticEdges, OfTheLaunchOrderComeBehind) {
  ASSERT_EQ(connect(node("write_late", a), node("copy", a, b),
                    edge(CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER)),
            CUDA_SUCCESS);

  EXPECT_EQ(found_by(instantiate()), kWords);
}

TEST_F(ProgrammaticEdges, DoNotReachPastANodeThatIsTurnedOff) {
  const CUgraphNode first = node("write_late", a);
  const CUgraphNode second = node("write_late", b);
  const CUgraphNode third = node("copy", a, b);
  ASSERT_EQ(connect(first, second, {}), CUDA_SUCCESS);
  ASSERT_EQ(connect(second, third, edge()), CUDA_SUCCESS);
  const CUgraphExec exec = instantiate();
  EXPECT_EQ(cuGraphNodeSetEnabled(exec, second, 0), CUDA_SUCCESS);

  EXPECT_EQ(found_by(exec), kWords);
}

TEST_F(ProgrammaticEdges, AreNotBetweenAGraphAndALaunchBehindIt) {
  (void)node("write_late", a);
  EXPECT_EQ(cuGraphLaunch(instantiate(), stream), CUDA_SUCCESS);
  EXPECT_EQ(join(kernel_of("copy"), many(), a, b), CUDA_SUCCESS);

  EXPECT_EQ(ones(b), kWords);
}

TEST_F(ProgrammaticEdges, AreOfKernelsAlone) {
  const CUgraphNode first = node("write_late", a);
  CUgraphNode empty = nullptr;
  ASSERT_EQ(cuGraphAddEmptyNode(&empty, graph, nullptr, 0), CUDA_SUCCESS);
  CUgraphEdgeData without_port = edge(CU_GRAPH_KERNEL_NODE_PORT_DEFAULT);
  CUgraphEdgeData without_type{};
  without_type.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
  const CUgraphNode second = node("copy", a, b);

  EXPECT_EQ(connect(first, empty, edge()), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(connect(empty, second, edge()), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(connect(first, second, without_port), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(connect(first, second, without_type), CUDA_ERROR_INVALID_VALUE);
  CUgraphNodeParams parameters{};
  parameters.type = CU_GRAPH_NODE_TYPE_EMPTY;
  const std::array<CUgraphNode, 2> before = {empty, first};
  const std::array<CUgraphEdgeData, 2> edges = {CUgraphEdgeData{}, edge()};
  EXPECT_EQ(cuGraphAddNode(&empty, graph, before.data(), edges.data(), 2, &parameters),
            CUDA_ERROR_INVALID_VALUE);
  std::size_t count = 0;
  EXPECT_EQ(cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 0);
}

}  // namespace
}  // namespace emulator::api
