// Libraries and their kernels, which newer programs and the CUDA runtime use in the place of
// modules.
#include <fstream>
#include <iterator>
#include <span>
#include <string>

#include "api/driver.h"
#include "api/error_translation.h"
#include "api/function_attributes.h"
#include "api/module_loading.h"

namespace emulator::api {
namespace {

LibraryTables& library_tables() { return Driver::get().libraries(); }

std::shared_ptr<Library> library_of(CUlibrary handle) {
  std::shared_ptr<Library> found = library_tables().libraries.find(handle);
  require(found != nullptr, CUDA_ERROR_INVALID_HANDLE);
  return found;
}

std::shared_ptr<LibraryKernel> kernel_of(CUkernel handle) {
  std::shared_ptr<LibraryKernel> found = library_tables().kernels.find(handle);
  require(found != nullptr, CUDA_ERROR_INVALID_HANDLE);
  return found;
}

// Of the current context.
std::shared_ptr<Kernel> function_of(CUkernel handle) {
  return current_context()->kernel(reinterpret_cast<CUfunction>(kernel_of(handle).get()));
}

CUlibrary publish(Image image, const JitOptions& options) {
  std::shared_ptr<Library> library;
  const SourceNames names(image.texts);
  try {
    library = std::make_shared<Library>(std::move(image));
  } catch (const ptx::Error& error) {
    write_refusal(options, error, names);
    throw Refusal(CUDA_ERROR_INVALID_PTX);
  }
  for (const auto& kernel : library->kernels()) (void)library_tables().kernels.add(kernel);
  options.write_error("");
  options.write_info("");
  return library_tables().libraries.add(library);
}

// Of the options of libraries, one asks for what is so (the image is copied), the other for
// functions that the host could call.
void require_known(const CUlibraryOption* options, unsigned count) {
  require(count == 0 || options != nullptr);
  for (unsigned i = 0; i < count; ++i) {
    require(options[i] == CU_LIBRARY_BINARY_IS_PRESERVED, CUDA_ERROR_NOT_SUPPORTED);
  }
}

}  // namespace
}  // namespace emulator::api

using emulator::api::answer;
using emulator::api::current_context;
using emulator::api::JitOptions;
using emulator::api::kernel_of;
using emulator::api::library_of;
using emulator::api::library_tables;
using emulator::api::require;

CUresult cuLibraryLoadData(CUlibrary* library, const void* image, CUjit_option* options,
                           void** values, unsigned int count, CUlibraryOption* library_options,
                           void**, unsigned int library_count) {
  return answer([&] {
    (void)emulator::api::Driver::get();
    require(library != nullptr && image != nullptr);
    emulator::api::require_known(library_options, library_count);
    const JitOptions jit(count, options, values);
    *library = emulator::api::publish(emulator::api::read_image_for(jit, image), jit);
  });
}

CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* path, CUjit_option* options,
                               void** values, unsigned int count, CUlibraryOption* library_options,
                               void**, unsigned int library_count) {
  return answer([&] {
    (void)emulator::api::Driver::get();
    require(library != nullptr && path != nullptr);
    emulator::api::require_known(library_options, library_count);
    const JitOptions jit(count, options, values);
    *library = emulator::api::publish(emulator::api::read_file_for(jit, path), jit);
  });
}

CUresult cuLibraryUnload(CUlibrary handle) {
  return answer([&] {
    const auto library = library_of(handle);
    (void)library_tables().libraries.take(handle);
    for (const auto& kernel : library->kernels()) {
      (void)library_tables().kernels.take(reinterpret_cast<CUkernel>(kernel.get()));
    }
    library->unload();
  });
}

CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
  return answer([&] {
    require(kernel != nullptr && name != nullptr);
    for (const auto& one : library_of(library)->kernels()) {
      if (one->name != name) continue;
      *kernel = reinterpret_cast<CUkernel>(one.get());
      return;
    }
    throw emulator::api::Refusal(CUDA_ERROR_NOT_FOUND);
  });
}

CUresult cuLibraryGetKernelCount(unsigned int* count, CUlibrary library) {
  return answer([&] {
    require(count != nullptr);
    *count = static_cast<unsigned>(library_of(library)->kernels().size());
  });
}

CUresult cuLibraryEnumerateKernels(CUkernel* kernels, unsigned int count, CUlibrary library) {
  return answer([&] {
    require(kernels != nullptr);
    const auto found = library_of(library);
    for (unsigned i = 0; i < count && i < found->kernels().size(); ++i) {
      kernels[i] = reinterpret_cast<CUkernel>(found->kernels()[i].get());
    }
  });
}

CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library) {
  return answer([&] {
    require(module != nullptr);
    *module = library_of(library)->module(*current_context());
  });
}

CUresult cuLibraryGetGlobal(CUdeviceptr* address, size_t* bytes, CUlibrary library,
                            const char* name) {
  CUmodule module = nullptr;
  const CUresult result = cuLibraryGetModule(&module, library);
  return result == CUDA_SUCCESS ? cuModuleGetGlobal(address, bytes, module, name) : result;
}

CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  return answer([&] {
    require(function != nullptr);
    *function = emulator::api::handle_of(emulator::api::function_of(kernel));
  });
}

CUresult cuKernelGetLibrary(CUlibrary* library, CUkernel kernel) {
  return answer([&] {
    require(library != nullptr);
    *library = reinterpret_cast<CUlibrary>(kernel_of(kernel)->library);
  });
}

CUresult cuKernelGetName(const char** name, CUkernel kernel) {
  return answer([&] {
    require(name != nullptr);
    *name = kernel_of(kernel)->name.c_str();
  });
}

CUresult cuKernelGetAttribute(int* value, CUfunction_attribute which, CUkernel kernel,
                              CUdevice device) {
  return answer([&] {
    emulator::api::Driver::require_device(device);
    require(value != nullptr);
    *value = emulator::api::attribute_of(*emulator::api::function_of(kernel), which);
  });
}

CUresult cuKernelSetAttribute(CUfunction_attribute which, int value, CUkernel kernel,
                              CUdevice device) {
  return answer([&] {
    emulator::api::Driver::require_device(device);
    const auto found = kernel_of(kernel);
    // Whether it may be set at all shows here.
    emulator::api::set_attribute(*emulator::api::function_of(kernel), which, value);
    found->library->set_attribute(*found, which, value);
  });
}

// A preference, which a driver is free not to follow.
CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache, CUdevice device) {
  return answer([&] {
    emulator::api::Driver::require_device(device);
    (void)kernel_of(kernel);
  });
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t* offset, size_t* bytes) {
  CUfunction function = nullptr;
  const CUresult result = cuKernelGetFunction(&function, kernel);
  return result == CUDA_SUCCESS ? cuFuncGetParamInfo(function, index, offset, bytes) : result;
}
