#include "autokernel/trial/runner_environment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "autokernel/base/defences.h"

namespace autokernel::trial {
namespace {

// A name ending in '*' stands for all that begin like that.
using Pattern = std::string_view;

// Passed on, and recorded: which GPU, and which libraries, a trial uses follows from them. What
// each is needed for is said in docs/reference.md, which a test compares with this list.
constexpr std::array<Pattern, 7> kRecorded = {
    "AUTOKERNEL_CUDA",
    // NVRTC, and the headers it reads.
    "CUDA_HOME",
    "CUDA_PATH",
    // A GPU has another number with another order.
    "CUDA_DEVICE_ORDER",
    // Clients find the server of a GPU that several programs share by this alone.
    "CUDA_MPS_PIPE_DIRECTORY",
    "CUDA_VISIBLE_DEVICES",
    // On some machines the driver, CUDA or OpenBLAS are found by nothing else.
    "LD_LIBRARY_PATH",
};

// Passed on. None of them changes a time.
constexpr std::array<Pattern, 13> kPassed = {
    // The program reads none of these: they are for libraries that tests put beneath it.
    "AUTOKERNEL_TEST_*",
    // By this the processes of an agent that was killed are found.
    "AUTOKERNEL_TURN",
    // Which of NVIDIA's templates are an opponent.
    "CUTLASS_PATH",
    // The cache of compiled code, and the lock of a device.
    "HOME",
    "XDG_CACHE_HOME",
    // How paths and messages are encoded.
    "LANG",
    "LC_*",
    // The python3 whose packages may hold NVRTC.
    "PATH",
    "TMPDIR",
    // Builds with sanitizers, which no user has.
    "ASAN_OPTIONS",
    "LSAN_OPTIONS",
    "TSAN_OPTIONS",
    "UBSAN_OPTIONS",
};

// Not passed on, and their user is told. A variable that is on no list is dropped as well, and
// nobody would want to hear of it.
constexpr std::array<Pattern, 42> kIgnored = {
    // The loader's and the C library's.
    "GLIBC_TUNABLES",
    "LD_AUDIT",
    "LD_BIND_NOW",
    "LD_HWCAP_MASK",
    "LD_PRELOAD",
    "LD_PROFILE",
    "MALLOC_*",
    // OpenBLAS's: kernels for another processor, fewer threads. Some builds use OpenMP.
    "GOMP_*",
    "GOTO_*",
    "KMP_*",
    "MKL_*",
    "OMP_*",
    "OPENBLAS_*",
    // cuBLAS's and NVRTC's.
    "CUBLASLT_*",
    "CUBLAS_*",
    "NVIDIA_TF32_OVERRIDE",
    "NVRTC_*",
    // The emulated device's.
    "EMULATED_CUDA_*",
    // The driver's, by name, as CUDA_* has others that only say where something lies. Those about
    // loading of modules and the cache are not among them: the runner sets these itself.
    "CUDA_AUTO_BOOST",
    "CUDA_BINARY_LOADER_THREAD_COUNT",
    "CUDA_COREDUMP_*",
    "CUDA_DEVICE_DEFAULT_PERSISTING_L2_CACHE_PERCENTAGE_LIMIT",
    "CUDA_DEVICE_MAX_CONNECTIONS",
    "CUDA_DEVICE_MAX_COPY_CONNECTIONS",
    "CUDA_DEVICE_WAITS_ON_EXCEPTION",
    "CUDA_DISABLE_JIT",
    "CUDA_DISABLE_PERF_BOOST",
    "CUDA_DISABLE_PTX_JIT",
    "CUDA_ENABLE_COREDUMP_ON_EXCEPTION",
    "CUDA_ENABLE_LIGHTWEIGHT_COREDUMP",
    "CUDA_ENABLE_USER_TRIGGERED_COREDUMP",
    "CUDA_FORCE_JIT",
    "CUDA_FORCE_PTX_JIT",
    "CUDA_GRAPHS_USE_NODE_PRIORITY",
    // A profiler in every process.
    "CUDA_INJECTION32_PATH",
    "CUDA_INJECTION64_PATH",
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_LOG_FILE",
    "CUDA_MANAGED_FORCE_DEVICE_ALLOC",
    "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
    "CUDA_MPS_CLIENT_PRIORITY",
    "CUDA_SCALE_LAUNCH_QUEUES",
};

[[nodiscard]] bool matches(Pattern pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return name == pattern;
  pattern.remove_suffix(1);
  return name.starts_with(pattern);
}

template <std::size_t Size>
[[nodiscard]] bool lists(const std::array<Pattern, Size>& patterns, std::string_view name) {
  return std::ranges::any_of(patterns, [&](Pattern pattern) { return matches(pattern, name); });
}

}  // namespace

RunnerEnvironment runner_environment(const Variables& ours) {
  if (!stands(Defence::fixed_environment)) return {.variables = ours, .ignored = {}};
  RunnerEnvironment environment;
  for (const auto& [name, value] : ours) {
    if (lists(kRecorded, name) || lists(kPassed, name)) {
      environment.variables.emplace(name, value);
    } else if (lists(kIgnored, name)) {
      environment.ignored.push_back(name);
    }
  }
  return environment;
}

std::string warning_of(const RunnerEnvironment& environment) {
  if (environment.ignored.empty()) return {};
  return fmt::format("environment variables that would change what is measured are ignored: {}",
                     fmt::join(environment.ignored, ", "));
}

Variables affecting_measurements(const Variables& variables) {
  Variables some = variables;
  std::erase_if(some, [](const auto& variable) {
    return !lists(kRecorded, variable.first) && !lists(kIgnored, variable.first);
  });
  return some;
}

}  // namespace autokernel::trial
