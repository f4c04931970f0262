// What tests have the fake CUPTI do, which is libcupti.so.13 to the library under test. It calls
// back, and fills and returns buffers, as NVIDIA's does; nothing runs.
#pragma once

#include <dlfcn.h>

#include <cstdint>

namespace autokernel::test {

// A call of the driver.
struct FakeCall {
  std::uint32_t number = 307;  // cuLaunchKernel
  const char* kernel = "kernel";
  void* stream = nullptr;
  std::int32_t result = 0;
  std::uint32_t nodes = 0;  // kernels of a graph, where it launches one
  bool unfinished = false;  // the kernel still runs when its record is asked for
};

// Streams of which the fake driver says that they are captured.
inline void* const kCapturedStream = reinterpret_cast<void*>(0xC0);

inline constexpr std::uint64_t kFakeKernelNanoseconds = 5'000;

// Does nothing where no library has loaded the fake CUPTI: nobody records.
inline void call_driver(const FakeCall& call) {
  using Call = void (*)(const FakeCall*);
  void* const cupti = ::dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD);
  if (cupti == nullptr) return;
  const auto function = reinterpret_cast<Call>(::dlsym(cupti, "fakeCuptiCall"));
  if (function != nullptr) function(&call);
}

// A copy of so many bytes to the device, a fill, and a copy between devices.
inline void copy_and_fill(std::uint64_t bytes) {
  using Copy = void (*)(std::uint64_t);
  void* const cupti = ::dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD);
  if (cupti == nullptr) return;
  reinterpret_cast<Copy>(::dlsym(cupti, "fakeCuptiCopy"))(bytes);
}

}  // namespace autokernel::test
