#include "api/module_loading.h"

#include <chrono>
#include <fstream>
#include <iterator>
#include <vector>

#include "api/driver.h"
#include "api/fault_record.h"
#include "base/packing.h"
#include "ptx/link.h"

namespace emulator::api {
namespace {

int architecture() {
  const DeviceProperties& device = Driver::get().device();
  return device.major * 10 + device.minor;
}

// What ptxas -v says, as far as there is such a thing here.
std::string description_of(const Module& module) {
  std::string text;
  for (const auto& kernel : module.kernels()) {
    const jit::KernelLayout& layout = kernel->layout();
    text += "kernel " + kernel->function().name + ": " + std::to_string(layout.parameter_bytes) +
            " bytes of parameters, " + std::to_string(layout.static_shared_bytes) +
            " bytes of shared memory, " + std::to_string(layout.local_bytes_per_thread) +
            " bytes of local memory\n";
  }
  return text;
}

// With the line of the source before that of the PTX, where the PTX says it.
std::string located(const ptx::Error& error, const SourceNames& names) {
  const std::vector<ptx::SourceLine> lines = names.lines(error.where().line);
  if (line_to_look_at(lines) == nullptr) return error.located();
  return names.place(error.where().line) + ": PTX " + error.located();
}

// What `read` makes of an image, given the device's architecture.
template <typename Read>
Image read_for(const JitOptions& options, const Read& read) {
  try {
    const int device = architecture();
    const int target = options.target().value_or(device);
    if (target > device) {
      throw ImageRefusal(CUDA_ERROR_NO_BINARY_FOR_GPU, "the device does not run code for sm_" +
                                                           std::to_string(target) + "; it is sm_" +
                                                           std::to_string(device));
    }
    return read(device);
  } catch (const ImageRefusal& refusal) {
    options.write_error(refusal.reason());
    throw;
  }
}

}  // namespace

Image read_image_for(const JitOptions& options, const void* image) {
  return read_for(options,
                  [&](int device) { return require_text(read_image(image, device), device); });
}

Image read_file_for(const JitOptions& options, const char* path) {
  std::ifstream file(path, std::ios::binary);
  require(file.good(), CUDA_ERROR_FILE_NOT_FOUND);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  require(!file.bad(), CUDA_ERROR_FILE_NOT_FOUND);
  return read_for(options, [&](int device) {
    return require_text(read_image(std::as_bytes(std::span(bytes)), device), device);
  });
}

Image read_input_for(const JitOptions& options, std::span<const std::byte> bytes) {
  return read_for(options, [&](int device) { return read_image(bytes, device); });
}

Image require_text_for(const JitOptions& options, const Image& image) {
  return read_for(options, [&](int device) { return require_text(image, device); });
}

ptx::Module parse_and_link(const std::vector<std::string>& texts) {
  std::vector<ptx::Module> modules;
  modules.reserve(texts.size());
  for (const std::string& text : texts) modules.push_back(ptx::parse(text));
  return ptx::link(std::move(modules));
}

void write_refusal(const JitOptions& options, const ptx::Error& error, const SourceNames& names,
                   const std::string& input, const std::string& left_out) {
  options.write_error("ptxas-like: " + (input.empty() ? "" : input + ": ") + located(error, names) +
                      (left_out.empty() ? "" : "\nnot linked: " + left_out));
}

std::shared_ptr<Module> build_module(runtime::Memory& memory, const Image& image,
                                     const JitOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  std::shared_ptr<Module> module;
  const auto names = std::make_shared<const SourceNames>(image.texts);
  note_refusal(nullptr);
  try {
    base::Packer all;
    for (const std::string& text : image.texts) all.bytes(text);
    module =
        std::make_shared<Module>(parse_and_link(image.texts), memory,
                                 jit::KeptCode{Driver::get().code_cache(), all.packed()}, names);
  } catch (const ptx::Error& error) {
    write_refusal(options, error, *names, "", image.left_out);
    note_refusal(std::make_unique<FaultRecord>(error, *names));
    throw Refusal(CUDA_ERROR_INVALID_PTX);
  }
  options.write_error("");
  options.write_info(options.is_verbose() ? description_of(*module) : "");
  options.write_wall_time(std::chrono::steady_clock::now() - start);
  return module;
}

CUmodule publish_module(Context& context, const std::shared_ptr<Module>& module) {
  const CUmodule handle = context.modules.add(module);
  for (const std::shared_ptr<Kernel>& kernel : module->kernels()) {
    kernel->owner = handle;
    (void)context.kernels.add(kernel);
  }
  return handle;
}

void withdraw_module(Context& context, CUmodule handle) {
  const std::shared_ptr<Module> module = context.modules.take(handle);
  require(module != nullptr, CUDA_ERROR_INVALID_HANDLE);
  for (const auto& kernel : module->kernels()) (void)context.kernels.take(handle_of(kernel));
  context.carry_out([&] { module->unload(context.memory); });
}

CUfunction find_function(const Module& module, const std::string& name) {
  const std::shared_ptr<Kernel> found = module.find_kernel(name);
  require(found != nullptr, CUDA_ERROR_NOT_FOUND);
  return handle_of(found);
}

CUfunction handle_of(const std::shared_ptr<Kernel>& kernel) {
  return reinterpret_cast<CUfunction>(kernel.get());
}

}  // namespace emulator::api
