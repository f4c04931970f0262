// Loading PTX and finding what is in it.
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "emulator/api/answer.h"
#include "emulator/api/driver.h"
#include "emulator/api/jit_options.h"

namespace emulator::api {
namespace {

constexpr std::string_view kElfMagic =
    "\x7f"
    "ELF";
constexpr std::uint32_t kFatbinMagic = 0xba55ed50;
constexpr std::uint32_t kFatbinWrapperMagic = 0x466243b1;

bool is_machine_code(const void* image) {
  const auto* text = static_cast<const char*>(image);
  // Byte by byte, since PTX may be shorter than the magic numbers.
  if (std::strncmp(text, kElfMagic.data(), kElfMagic.size()) == 0) return true;
  std::uint32_t word = 0;
  for (unsigned i = 0; i < sizeof word; ++i) {
    if (text[i] == '\0') return false;
    word |= std::uint32_t{static_cast<unsigned char>(text[i])} << (8 * i);
  }
  return word == kFatbinMagic || word == kFatbinWrapperMagic;
}

CUmodule load(const void* image, const JitLogs& logs) {
  const std::shared_ptr<Context> context = current_context();
  require(image != nullptr);
  if (is_machine_code(image)) {
    logs.write_error("the image is machine code for a GPU; the emulated driver takes PTX text");
    throw Refusal(CUDA_ERROR_NO_BINARY_FOR_GPU);
  }
  const std::string text = static_cast<const char*>(image);
  if (text.find(".version") == std::string::npos) {
    logs.write_error("the image is not PTX: it has no .version directive");
    throw Refusal(CUDA_ERROR_INVALID_IMAGE);
  }
  std::shared_ptr<Module> module;
  try {
    module = std::make_shared<Module>(text, context->memory);
  } catch (const ptx::Error& error) {
    logs.write_error("ptxas-like: " + error.located());
    throw Refusal(CUDA_ERROR_INVALID_PTX);
  }
  logs.write_error("");
  logs.write_info("");
  const CUmodule handle = context->modules.add(module);
  for (const std::shared_ptr<Kernel>& kernel : module->kernels()) {
    kernel->owner = handle;
    (void)context->kernels.add(kernel);
  }
  return handle;
}

CUfunction handle_of(const std::shared_ptr<Kernel>& kernel) {
  return reinterpret_cast<CUfunction>(kernel.get());
}

}  // namespace
}  // namespace emulator::api

using emulator::api::answer;
using emulator::api::current_context;
using emulator::api::JitLogs;
using emulator::api::require;

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int count,
                            CUjit_option* options, void** values) {
  return answer([&] {
    require(module != nullptr);
    *module = emulator::api::load(image, JitLogs(count, options, values));
  });
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) {
  return answer([&] {
    (void)current_context();
    require(module != nullptr && image != nullptr);
    throw emulator::api::Refusal(CUDA_ERROR_NO_BINARY_FOR_GPU);
  });
}

CUresult cuModuleLoad(CUmodule* module, const char* path) {
  return answer([&] {
    (void)current_context();
    require(module != nullptr && path != nullptr);
    std::ifstream file(path, std::ios::binary);
    require(file.good(), CUDA_ERROR_FILE_NOT_FOUND);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    require(!file.bad(), CUDA_ERROR_FILE_NOT_FOUND);
    *module = emulator::api::load(text.c_str(), JitLogs(0, nullptr, nullptr));
  });
}

CUresult cuModuleUnload(CUmodule handle) {
  return answer([&] {
    const auto context = current_context();
    const auto module = context->module(handle);
    require(context->modules.take(handle) != nullptr, CUDA_ERROR_INVALID_HANDLE);
    for (const auto& kernel : module->kernels()) {
      (void)context->kernels.take(emulator::api::handle_of(kernel));
    }
    // Behind all launches that may use its variables.
    context->carry_out([&] { module->unload(context->memory); });
  });
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule handle, const char* name) {
  return answer([&] {
    const auto context = current_context();
    require(function != nullptr && name != nullptr);
    const auto module = context->module(handle);
    for (const auto& kernel : module->kernels()) {
      if (kernel->function().name != name) continue;
      *function = emulator::api::handle_of(kernel);
      return;
    }
    throw emulator::api::Refusal(CUDA_ERROR_NOT_FOUND);
  });
}

CUresult cuModuleGetFunctionCount(unsigned int* count, CUmodule handle) {
  return answer([&] {
    const auto context = current_context();
    require(count != nullptr);
    *count = static_cast<unsigned>(context->module(handle)->kernels().size());
  });
}

CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned int count, CUmodule handle) {
  return answer([&] {
    const auto context = current_context();
    require(functions != nullptr);
    const auto module = context->module(handle);
    for (unsigned i = 0; i < count && i < module->kernels().size(); ++i) {
      functions[i] = emulator::api::handle_of(module->kernels()[i]);
    }
  });
}

CUresult cuModuleGetGlobal(CUdeviceptr* address, size_t* bytes, CUmodule handle, const char* name) {
  return answer([&] {
    const auto context = current_context();
    require(name != nullptr);
    const auto module = context->module(handle);
    const auto* variable = module->find_variable(name);
    require(variable != nullptr, CUDA_ERROR_NOT_FOUND);
    if (address != nullptr) *address = variable->address;
    if (bytes != nullptr) *bytes = variable->bytes;
  });
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  return answer([&] {
    (void)emulator::api::Driver::get();
    require(mode != nullptr);
    *mode = CU_MODULE_EAGER_LOADING;
  });
}
