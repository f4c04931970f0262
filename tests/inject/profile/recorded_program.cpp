// A program that uses CUDA and NVTX, or looks as if it did: each argument is a step. Whoever starts
// it sets CUDA_INJECTION64_PATH and NVTX_INJECTION64_PATH, as for any program.
//
//   cuda                   initialise CUDA: the driver loads what CUDA_INJECTION64_PATH names
//   launch=NAME            launch a kernel; launches=N: N of them, ex=NAME: by cuLaunchKernelEx
//   failed=NAME            a launch that the driver refuses; running=NAME: one that does not end
//   capture captured=NAME  begin a capture; launch into it
//   graph=N                launch a graph of N kernels
//   reset                  take the context down
//   copy=BYTES             copy to the device and between devices, and fill
//   threads=N              N threads of 1000 launches and ranges each
//   product=CALL           a matrix product: lt, gemm_ex, sgemm, strided, batched
//   nvtx                   load what NVTX_INJECTION64_PATH names, as NVTX does
//   push=TEXT wide event registered; pop; start=TEXT end; domain=NAME in=TEXT out
//   thread_push=TEXT       a thread pushes a range and ends
//   fork                   what follows is done by a child, and the program waits for it
//   exec                   become this program anew, with the steps that follow
//   closeall=FILE          close all descriptors, and open files of its own under their numbers
//   limit=BYTES            no file of ours may grow larger
//   sleep=MILLISECONDS errno kill _exit exit
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "fakes/fake_cublas_lt.h"
#include "fakes/fake_cupti.h"
#include "profile/nvtx.h"

extern "C" {
std::int32_t cublasGemmEx(void*, int, int, int, int, int, const void*, const void*, int, int,
                          const void*, int, int, const void*, void*, int, int, int, int);
std::int32_t cublasSgemm_v2(void*, int, int, int, int, int, const void*, const void*, int,
                            const void*, int, const void*, void*, int);
std::int32_t cublasGemmStridedBatchedEx_64(void*, int, int, std::int64_t, std::int64_t,
                                           std::int64_t, const void*, const void*, int,
                                           std::int64_t, long long, const void*, int, std::int64_t,
                                           long long, const void*, void*, int, std::int64_t,
                                           long long, std::int64_t, int, int);
std::int32_t cublasHgemmBatched(void*, int, int, int, int, int, const void*, const void*, int,
                                const void*, int, const void*, void*, int, int);
std::int32_t cuDeviceGetCount(int* count);
}

namespace autokernel::test {
namespace {

namespace nvtx = recording::nvtx;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "recorded_program: %s\n", what.c_str());
  std::_Exit(99);
}

void* library(const char* variable) {
  const char* const path = std::getenv(variable);
  if (path == nullptr) return nullptr;
  void* const handle = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) fail(::dlerror());
  return handle;
}

void start_cuda() {
  void* const injected = library("CUDA_INJECTION64_PATH");
  if (injected == nullptr) return;
  const auto initialize = reinterpret_cast<int (*)()>(::dlsym(injected, "InitializeInjection"));
  if (initialize == nullptr || initialize() == 0) fail("the injection failed");
}

// NVTX, as nvtxInit.h has it: calls go through tables, which an injected library may fill.
std::array<nvtx::Function, 16> core{};
std::array<nvtx::Function, 16> domains{};
std::array<nvtx::Function*, 16> core_places{};
std::array<nvtx::Function*, 16> domain_places{};

int functions_of(nvtx::Module module, nvtx::Function*** table, unsigned* count) {
  if (module != nvtx::kCore && module != nvtx::kCore2) return 0;
  *table = module == nvtx::kCore ? core_places.data() : domain_places.data();
  *count = 16;
  return 1;
}

const void* export_table(std::uint32_t id) {
  static const nvtx::CallbackTable table{sizeof(nvtx::CallbackTable), functions_of};
  return id == nvtx::kCallbacks ? &table : nullptr;
}

void start_nvtx() {
  for (std::size_t place = 1; place < core.size(); ++place) {
    core_places[place] = &core[place];
    domain_places[place] = &domains[place];
  }
  void* const injected = library("NVTX_INJECTION64_PATH");
  if (injected == nullptr) return;
  const auto initialize = reinterpret_cast<int (*)(nvtx::GetExportTable)>(
      ::dlsym(injected, "InitializeInjectionNvtx2"));
  if (initialize == nullptr) fail("no InitializeInjectionNvtx2");
  (void)initialize(export_table);
}

template <typename Result, typename... Arguments>
Result call(nvtx::Function function, Arguments... arguments) {
  if (function == nullptr) return Result();
  return reinterpret_cast<Result (*)(Arguments...)>(function)(arguments...);
}

nvtx::EventAttributes event(nvtx::MessageType type, const void* message) {
  nvtx::EventAttributes attributes{};
  attributes.version = 3;
  attributes.size = sizeof attributes;
  attributes.message_type = type;
  attributes.message = message;
  return attributes;
}

void push(const char* text) { (void)call<int>(core[nvtx::kRangePushA], text); }
void pop() { (void)call<int>(core[nvtx::kRangePop]); }

void in_threads(int count) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(count));
  for (int number = 0; number < count; ++number) {
    threads.emplace_back([number] {
      const std::string name = "kernel of thread " + std::to_string(number);
      for (int launch = 0; launch < 1000; ++launch) {
        push(name.c_str());
        call_driver({.kernel = name.c_str()});
        pop();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

FakeLtObject layout(std::int64_t type, std::int64_t rows, std::int64_t columns, std::int64_t ld) {
  return {{{0, type}, {1, 0}, {2, rows}, {3, columns}, {4, ld}, {5, 3}, {6, rows * columns}}};
}

void multiply(const std::string& how) {
  const float one = 1;
  const float half = 0.5F;
  std::int32_t handle = 0;  // the pointer mode, on the host
  std::int32_t status = 0;
  if (how == "lt") {
    // bfloat16, A transposed, with a bias
    const FakeLtObject operation{{{0, 68}, {1, 0}, {2, 0}, {3, 1}, {4, 0}, {7, 4}}};
    const FakeLtObject a = layout(14, 64, 32, 64);
    const FakeLtObject b = layout(14, 64, 16, 64);
    const FakeLtObject d = layout(14, 32, 16, 32);
    status = cublasLtMatmul(nullptr, &operation, &one, nullptr, &a, nullptr, &b, &half, nullptr, &d,
                            nullptr, &d, nullptr, nullptr, 0, nullptr);
  } else if (how == "gemm_ex") {
    status = cublasGemmEx(&handle, 0, 1, 8, 16, 32, &one, nullptr, 2, 8, nullptr, 2, 16, &half,
                          nullptr, 2, 8, 68, 99);
  } else if (how == "sgemm") {
    handle = 1;  // on the device
    status =
        cublasSgemm_v2(&handle, 0, 0, 8, 16, 32, &one, nullptr, 8, nullptr, 32, &half, nullptr, 8);
  } else if (how == "strided") {
    status = cublasGemmStridedBatchedEx_64(&handle, 2, 0, 8, 16, 32, &one, nullptr, 14, 32, 100,
                                           nullptr, 14, 32, 200, &half, nullptr, 0, 8, 300,
                                           std::int64_t{1} << 33U, 77, -1);
  } else if (how == "batched") {
    const std::array<std::uint16_t, 2> factors = {0x3C00, 0xC100};  // 1 and -2.5
    status = cublasHgemmBatched(&handle, 0, 0, 8, 16, 32, factors.data(), nullptr, 8, nullptr, 32,
                                &factors[1], nullptr, 8, 5);
  }
  if (status != 0) fail(how + " returned " + std::to_string(status));
}

void limit_files(std::uint64_t bytes) {
  const rlimit limit{.rlim_cur = bytes, .rlim_max = bytes};
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

using Steps = std::map<std::string, std::function<void(const std::string&)>>;

const Steps& steps() {
  static std::uint64_t started = 0;
  static void* domain = nullptr;
  static const Steps kSteps = {
      {"cuda", [](const std::string&) { start_cuda(); }},
      {"launch", [](const std::string& name) { call_driver({.kernel = name.c_str()}); }},
      {"launches",
       [](const std::string& count) {
         for (int left = std::stoi(count); left > 0; --left) call_driver({});
       }},
      {"ex", [](const std::string& name) { call_driver({.number = 652, .kernel = name.c_str()}); }},
      {"failed",
       [](const std::string& name) { call_driver({.kernel = name.c_str(), .result = 1}); }},
      {"running",
       [](const std::string& name) { call_driver({.kernel = name.c_str(), .unfinished = true}); }},
      {"capture", [](const std::string&) { call_driver({.number = 539}); }},
      {"captured",
       [](const std::string& name) {
         call_driver({.kernel = name.c_str(), .stream = kCapturedStream});
         call_driver({.number = 652, .kernel = name.c_str(), .stream = kCapturedStream});
       }},
      {"reset", [](const std::string&) { call_driver({.number = 545}); }},
      {"graph",
       [](const std::string& count) {
         call_driver({.number = 514, .nodes = static_cast<std::uint32_t>(std::stoi(count))});
       }},
      {"copy", [](const std::string& bytes) { copy_and_fill(std::stoull(bytes)); }},
      {"threads", [](const std::string& count) { in_threads(std::stoi(count)); }},
      {"product", multiply},
      {"nvtx", [](const std::string&) { start_nvtx(); }},
      {"push", [](const std::string& text) { push(text.c_str()); }},
      {"wide",
       [](const std::string& text) {
         const std::wstring wide(text.begin(), text.end());
         (void)call<int>(core[nvtx::kRangePushW], (wide + L"\x3BC\x1F600").c_str());
       }},
      {"event",
       [](const std::string& text) {
         const nvtx::EventAttributes attributes = event(nvtx::kAscii, text.c_str());
         (void)call<int>(core[nvtx::kRangePushEx], &attributes);
       }},
      {"registered",
       [](const std::string& text) {
         void* const handle = call<void*>(domains[nvtx::kDomainRegisterStringA],
                                          static_cast<void*>(nullptr), text.c_str());
         const nvtx::EventAttributes attributes = event(nvtx::kRegistered, handle);
         (void)call<int>(core[nvtx::kRangePushEx], &attributes);
       }},
      {"pop", [](const std::string&) { pop(); }},
      {"start",
       [](const std::string& text) {
         started = call<std::uint64_t>(core[nvtx::kRangeStartA], text.c_str());
       }},
      {"end", [](const std::string&) { call<void>(core[nvtx::kRangeEnd], started); }},
      {"domain",
       [](const std::string& name) {
         domain = call<void*>(domains[nvtx::kDomainCreateA], name.c_str());
       }},
      {"in",
       [](const std::string& text) {
         const nvtx::EventAttributes attributes = event(nvtx::kAscii, text.c_str());
         (void)call<int>(domains[nvtx::kDomainRangePushEx], domain, &attributes);
       }},
      {"out", [](const std::string&) { (void)call<int>(domains[nvtx::kDomainRangePop], domain); }},
      {"thread_push",
       [](const std::string& text) { std::thread([&] { push(text.c_str()); }).join(); }},
      {"fork",
       [](const std::string&) {
         const pid_t child = ::fork();
         if (child == 0) return;
         int status = 0;
         if (::waitpid(child, &status, 0) != child || status != 0) fail("the child failed");
         std::exit(0);  // NOLINT(concurrency-mt-unsafe)
       }},
      {"closeall",
       [](const std::string& path) {
         constexpr int kMost = 100;
         // Not close(), in which ThreadSanitizer sees the race that this is about.
         if (::syscall(SYS_close_range, 3, kMost - 1, 0) != 0) fail("cannot close");
         for (int count = 3; count < kMost; ++count) {
           if (::open(path.c_str(), O_WRONLY | O_CREAT, 0600) < 0) fail("cannot open " + path);
         }
       }},
      {"limit", [](const std::string& bytes) { limit_files(std::stoull(bytes)); }},
      {"sleep",
       [](const std::string& time) {
         std::this_thread::sleep_for(std::chrono::milliseconds(std::stoi(time)));
       }},
      {"errno",
       [](const std::string&) {
         errno = 77;
         multiply("lt");
         push("text");
         pop();
         call_driver({});
         if (errno != 77) fail("errno was changed");
       }},
      {"kill", [](const std::string&) { std::raise(SIGKILL); }},
      {"_exit", [](const std::string&) { ::_exit(0); }},
      {"exit", [](const std::string&) { std::exit(0); }},  // NOLINT(concurrency-mt-unsafe)
  };
  return kSteps;
}

}  // namespace
}  // namespace autokernel::test

int main(int count, char** arguments) {
  int devices = 0;
  (void)cuDeviceGetCount(&devices);  // so that the library is not left out of the program
  for (int index = 1; index < count; ++index) {
    const std::string argument = arguments[index];
    if (argument == "exec") ::execv("/proc/self/exe", arguments + index);
    const std::size_t equals = argument.find('=');
    const auto step = autokernel::test::steps().find(argument.substr(0, equals));
    if (step == autokernel::test::steps().end()) return 98;
    step->second(equals == std::string::npos ? "" : argument.substr(equals + 1));
  }
  std::puts("done");
  return 0;
}
