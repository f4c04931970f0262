#include "support/nvrtc.h"

#include <dlfcn.h>
#include <nvrtc.h>

#include <array>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace emulator::testing {
namespace {

namespace fs = std::filesystem;

// Libraries of the toolkit whose names begin so.
std::vector<fs::path> libraries(const std::string& beginning) {
  std::vector<fs::path> found;
  for (const char* folder : {"lib64", "lib"}) {
    std::error_code missing;
    for (const auto& entry :
         fs::directory_iterator(fs::path(EMULATOR_TESTS_CUDA) / folder, missing)) {
      if (entry.path().filename().string().starts_with(beginning)) found.push_back(entry.path());
    }
  }
  return found;
}

void* open_library() {
  // NVRTC opens these by their bare names, which the loader knows once they are loaded.
  for (const fs::path& builtins : libraries("libnvrtc-builtins.so")) {
    dlopen(builtins.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  for (const fs::path& file : libraries("libnvrtc.so")) {
    if (void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  }
  if (void* library = dlopen("libnvrtc.so", RTLD_NOW | RTLD_LOCAL)) return library;
  throw std::runtime_error("there is no NVRTC in " EMULATOR_TESTS_CUDA ": install it there");
}

// A call of NVRTC by its name. The library stays until the process ends.
template <typename Function, typename... Arguments>
nvrtcResult call(Function* /*signature*/, const char* name, Arguments... arguments) {
  static void* const library = open_library();
  auto* function = reinterpret_cast<Function*>(dlsym(library, name));
  if (function == nullptr) throw std::runtime_error(std::string("NVRTC has no ") + name);
  return function(arguments...);
}
#define EMULATOR_TESTS_NVRTC(name, ...) \
  call(static_cast<decltype(&(name))>(nullptr), #name, __VA_ARGS__)

std::string log_of(nvrtcProgram program) {
  std::size_t size = 0;
  EMULATOR_TESTS_NVRTC(nvrtcGetProgramLogSize, program, &size);
  std::string log(size, '\0');
  EMULATOR_TESTS_NVRTC(nvrtcGetProgramLog, program, log.data());
  return log;
}

}  // namespace

std::string ptx_of(const std::string& source) {
  nvrtcProgram program = nullptr;
  if (EMULATOR_TESTS_NVRTC(nvrtcCreateProgram, &program, source.c_str(), "kernel.cu", 0,
                           static_cast<const char* const*>(nullptr),
                           static_cast<const char* const*>(nullptr)) != NVRTC_SUCCESS) {
    throw std::runtime_error("nvrtcCreateProgram failed");
  }
  const std::array options = {"--gpu-architecture=compute_90a",
                              "--std=c++20",
                              "-DNDEBUG",
                              "--generate-line-info",
                              "--include-path=" EMULATOR_TESTS_CUDA "/include",
                              "--include-path=" EMULATOR_TESTS_CUDA "/include/cccl"};
  const nvrtcResult result = EMULATOR_TESTS_NVRTC(nvrtcCompileProgram, program,
                                                  static_cast<int>(options.size()), options.data());
  std::string ptx;
  const std::string log = log_of(program);
  if (result == NVRTC_SUCCESS) {
    std::size_t size = 0;
    EMULATOR_TESTS_NVRTC(nvrtcGetPTXSize, program, &size);
    ptx.resize(size);
    EMULATOR_TESTS_NVRTC(nvrtcGetPTX, program, ptx.data());
    ptx.resize(ptx.find('\0'));  // the size counts the zero at the end
  }
  EMULATOR_TESTS_NVRTC(nvrtcDestroyProgram, &program);
  if (result != NVRTC_SUCCESS) throw std::runtime_error(log);
  return ptx;
}

}  // namespace emulator::testing
