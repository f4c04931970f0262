// What our libcuda.so.1 adds to each launch of a program, as rows of a table: nanoseconds a call,
// on a driver whose calls do nothing.
#include <cuda.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <vector>

#include "autokernel/base/scratch.h"

namespace {

using std::chrono::steady_clock;

constexpr int kCalls = 2'000'000;
// The least of them is the one that nothing disturbed.
constexpr int kRepetitions = 7;

enum class Wanted : bool { nothing, other_kernels };

template <typename Call>
[[nodiscard]] double least_ns(Call call) {
  double least = 1e9;
  for (int i = 0; i < kRepetitions; ++i) {
    const auto begin = steady_clock::now();
    for (int j = 0; j < kCalls; ++j) call();
    const std::chrono::duration<double, std::nano> taken = steady_clock::now() - begin;
    least = std::min(least, taken.count() / kCalls);
  }
  return least;
}

void row(const char* what, double nanoseconds) {
  std::printf("| %s | %.1f ns | | build/release/tests/autokernel_launch_cost |\n", what,
              nanoseconds);
  std::fflush(stdout);
}

template <typename Function>
[[nodiscard]] Function* found(void* library, const char* name) {
  auto* const function = reinterpret_cast<Function*>(::dlsym(library, name));
  if (function == nullptr) std::abort();
  return function;
}

void measure_library(const char* path, const char* what) {
  void* const library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", ::dlerror());
    std::_Exit(1);
  }
  auto* const launch = found<decltype(cuLaunchKernel)>(library, "cuLaunchKernel");
  auto* const synchronize = found<CUresult()>(library, "cuCtxSynchronize");
  const auto launch_once = [&] {
    (void)launch(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr);
  };
  const std::string prefix = what;
  row((prefix + ": a launch").c_str(), least_ns(launch_once));
  row((prefix + ": another call").c_str(), least_ns([&] { (void)synchronize(); }));
  double of_two = 0;
  std::array<std::thread, 2> threads;
  for (std::thread& thread : threads) {
    thread = std::thread([&] {
      const double ns = least_ns(launch_once);
      if (&thread == threads.data()) of_two = ns;
    });
  }
  for (std::thread& thread : threads) thread.join();
  row((prefix + ": a launch in each of two threads").c_str(), of_two);
}

// In a process of its own: what the library does is decided when it is loaded.
void measure(const char* path, const char* what, Wanted wanted) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (wanted == Wanted::other_kernels) {
      const autokernel::ScratchDirectory scratch;
      const std::string list = (scratch.path() / "wanted.txt").string();
      std::ofstream(list) << "another\t*\t*\t*\t0\n";
      ::setenv("AUTOKERNEL_CAPTURE", list.c_str(), 1);
      measure_library(path, what);
    } else {
      measure_library(path, what);
    }
    std::_Exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (status != 0) std::exit(1);
}

}  // namespace

int main() {
  ::unsetenv("AUTOKERNEL_CAPTURE");
  ::setenv("AUTOKERNEL_DRIVER", AUTOKERNEL_SILENT_DRIVER, 1);
  measure(AUTOKERNEL_SILENT_DRIVER, "the driver itself", Wanted::nothing);
  measure(AUTOKERNEL_FORWARDING_DRIVER, "forwarded", Wanted::nothing);
  measure(AUTOKERNEL_FORWARDING_DRIVER, "forwarded, other kernels captured", Wanted::other_kernels);
  return 0;
}
