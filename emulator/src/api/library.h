// Libraries: code that every context has, without being asked to. Each context loads the module
// when it first uses something of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/context.h"
#include "api/cuda_api.h"
#include "api/handle_table.h"
#include "api/image.h"

namespace emulator::api {

class Library;

// What a CUkernel means: a kernel, whatever the context. Such a handle may also stand where a
// CUfunction does, and means the function of the current context.
struct LibraryKernel {
  Library* library;
  std::string name;
  // What the program has set with cuKernelSetAttribute, for contexts to come.
  std::map<CUfunction_attribute, int> attributes;
};

class Library {
 public:
  // Throws ptx::Error where a text is no PTX.
  explicit Library(Image image);

  // The kernels it defines, by the order of the text.
  [[nodiscard]] const std::vector<std::shared_ptr<LibraryKernel>>& kernels() const {
    return kernels_;
  }
  // The module of the context, loaded now if it was not. Throws Refusal.
  [[nodiscard]] CUmodule module(Context& context);
  // The function of the context, with the attributes set. Throws Refusal.
  [[nodiscard]] CUfunction function(Context& context, const LibraryKernel& kernel);
  void set_attribute(LibraryKernel& kernel, CUfunction_attribute attribute, int value);
  // Takes the modules out of the contexts that are still there.
  void unload();

 private:
  std::mutex mutex_;
  Image image_;
  std::vector<std::shared_ptr<LibraryKernel>> kernels_;
  struct Loaded {
    std::weak_ptr<Context> context;
    CUmodule module;
  };
  std::map<unsigned long long, Loaded> modules_;  // by the id of the context
};

struct LibraryTables {
  HandleTable<CUlibrary, Library> libraries;
  HandleTable<CUkernel, LibraryKernel> kernels;
};

}  // namespace emulator::api
