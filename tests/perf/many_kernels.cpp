// A program of twenty kernels, each launched in every step; one of them takes a quarter of the
// time. It prints a checksum. For tests/perf/verify.sh.
//
//   many_kernels STEPS
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "e2e/programs/driver_calls.h"

int main(int count, char** arguments) {
  using autokernel::test::DriverCalls;
  constexpr int kKernels = 20;
  constexpr int kElements = 32;
  constexpr int kRounds = 60;
  constexpr std::size_t kLongest = 7;
  constexpr int kRoundsOfLongest = 400;
  constexpr std::size_t kBytes = kElements * sizeof(int);
  const DriverCalls driver;
  CUdevice device = 0;
  CUcontext context = nullptr;
  driver.check(driver.init(0), "start CUDA");
  driver.check(driver.device(&device, 0), "find a device");
  driver.check(driver.retain_context(&context, device), "make a context");
  driver.check(driver.use_context(context), "use a context");
  std::ifstream in(AUTOKERNEL_MANY_KERNELS, std::ios::binary);
  const std::string code{std::istreambuf_iterator<char>(in), {}};
  CUmodule module = nullptr;
  driver.check(driver.load(&module, code.c_str()), "load the kernels");
  CUstream stream = nullptr;
  driver.check(driver.make_stream(&stream, CU_STREAM_NON_BLOCKING), "make a stream");
  std::vector<CUfunction> kernels(kKernels);
  for (int i = 0; i < kKernels; ++i) {
    const std::string name = "_Z4workILi" + std::to_string(i) + "EEvPiPKiii";
    driver.check(driver.function(&kernels[static_cast<std::size_t>(i)], module, name.c_str()),
                 "find a kernel");
  }
  // Each reads what the one before has written.
  std::vector<CUdeviceptr> memory(kKernels + 1);
  std::vector<int> values(kElements);
  for (int i = 0; i < kElements; ++i) values[static_cast<std::size_t>(i)] = i * 7 % 5;
  for (CUdeviceptr& each : memory) {
    driver.check(driver.allocate(&each, kBytes), "allocate memory");
    driver.check(driver.copy_to_device(each, values.data(), kBytes), "copy to the device");
  }
  const int steps = count > 1 ? static_cast<int>(std::strtol(arguments[1], nullptr, 10)) : 3;
  for (int step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < kKernels; ++i) {
      int elements = kElements;
      int rounds = i == kLongest ? kRoundsOfLongest : kRounds;
      std::array<void*, 4> parameters{&memory[i + 1], &memory[i], &elements, &rounds};
      driver.check(driver.launch(kernels[i], 1, 1, 1, kElements, 1, 1, 0, stream, parameters.data(),
                                 nullptr),
                   "launch a kernel");
    }
  }
  driver.check(driver.wait_for(stream), "wait for a stream");
  std::uint32_t sum = 0;
  for (const CUdeviceptr each : memory) {
    driver.check(driver.copy_to_host(values.data(), each, kBytes), "copy to the host");
    for (const int value : values) sum = sum * 31 + static_cast<std::uint32_t>(value);
  }
  std::printf("checksum %08x\n", sum);
  return 0;
}
