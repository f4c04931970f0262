// A program that uses libcuda.so.1, whichever that is. Each argument is a call, and a line that is
// printed: its result, as a number, or where a function is.
//
//   init  count  launch  link      the driver's cuInit, cuDeviceGetCount, cuLaunchKernel,
//                                  cuLinkAddData, as they are exported
//   old=NAME  new=NAME             cuGetProcAddress of CUDA 11 or 12
//   thread=NAME                    that of CUDA 12, for the default stream of each thread
//   version=N                      CUDA version for what follows [12000]
//   same=NAME                      whether that of CUDA 12 gives what is exported
#include <cuda.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace {

void* library = nullptr;
int version = 12000;

template <typename Function>
Function* exported(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(library, name));
}

// NOLINTNEXTLINE(performance-no-int-to-ptr): what is handed on need not be an address
void* pointer(std::uintptr_t value) { return reinterpret_cast<void*>(value); }

// The file that it lies in, as it was opened; links are followed.
std::string place_of(void* entry) {
  Dl_info info{};
  if (entry == nullptr || ::dladdr(entry, &info) == 0) return "nowhere";
  return std::filesystem::canonical(info.dli_fname).string();
}

using OldGetProcAddress = CUresult(const char*, void**, int, cuuint64_t);
using NewGetProcAddress = CUresult(const char*, void**, int, cuuint64_t,
                                   CUdriverProcAddressQueryResult*);

void* found(const char* name, cuuint64_t flags) {
  auto* const ask = exported<NewGetProcAddress>("cuGetProcAddress_v2");
  void* entry = nullptr;
  CUdriverProcAddressQueryResult status{};
  const CUresult result = ask(name, &entry, version, flags, &status);
  if (result != CUDA_SUCCESS) std::printf("result %d status %d: ", result, status);
  return entry;
}

void call(const std::string& step) {
  const std::string what = step.substr(0, step.find('='));
  const std::string name = step.find('=') == std::string::npos ? "" : step.substr(what.size() + 1);
  if (what == "init") {
    std::printf("%d\n", exported<CUresult(unsigned)>("cuInit")(0));
  } else if (what == "count") {
    int count = -1;
    std::printf("%d\n", exported<CUresult(int*)>("cuDeviceGetCount")(&count));
  } else if (what == "launch") {
    std::printf("%d\n",
                exported<decltype(cuLaunchKernel)>("cuLaunchKernel")(
                    static_cast<CUfunction>(pointer(0x10)), 1, 2, 3, 4, 5, 6, 7,
                    static_cast<CUstream>(pointer(0x20)), static_cast<void**>(pointer(0x30)),
                    static_cast<void**>(pointer(0x40))));
  } else if (what == "link") {
    std::printf("%d\n", exported<decltype(cuLinkAddData_v2)>("cuLinkAddData_v2")(
                            static_cast<CUlinkState>(pointer(0x10)), CU_JIT_INPUT_PTX,
                            pointer(0x20), 3, "four", 5, static_cast<CUjit_option*>(pointer(0x60)),
                            static_cast<void**>(pointer(0x70))));
  } else if (what == "old") {
    void* entry = nullptr;
    (void)exported<OldGetProcAddress>("cuGetProcAddress")(name.c_str(), &entry, version, 0);
    std::printf("%s\n", place_of(entry).c_str());
  } else if (what == "new") {
    std::printf("%s\n", place_of(found(name.c_str(), 0)).c_str());
  } else if (what == "thread") {
    void* const entry = found(name.c_str(), CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
    const bool is_own = entry == ::dlsym(library, (name + "_ptsz").c_str());
    std::printf("%s\n", is_own ? "exported" : place_of(entry).c_str());
  } else if (what == "same") {
    const bool is_same = found(name.c_str(), 0) == ::dlsym(library, name.c_str());
    std::printf("%s\n", is_same ? "exported" : "another");
  } else if (what == "version") {
    version = static_cast<int>(std::strtol(name.c_str(), nullptr, 10));
  }
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", ::dlerror());
    return 1;
  }
  for (int i = 1; i < count; ++i) call(arguments[i]);
  return 0;
}
