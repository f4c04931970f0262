#include "api/library.h"

#include <utility>

#include "api/error_translation.h"
#include "api/function_attributes.h"
#include "api/module_loading.h"
#include "ptx/ast.h"

namespace emulator::api {

Library::Library(Image image) : image_(std::move(image)) {
  for (const ptx::Function& function : parse_and_link(image_.texts).functions) {
    if (!function.entry) continue;
    kernels_.push_back(std::make_shared<LibraryKernel>(LibraryKernel{this, function.name, {}}));
  }
}

CUmodule Library::module(Context& context) {
  const std::lock_guard lock(mutex_);
  const auto found = modules_.find(context.id());
  if (found != modules_.end()) return found->second.module;
  const std::shared_ptr<Module> module = build_module(context.memory, image_, JitOptions());
  for (const auto& kernel : kernels_) {
    const std::shared_ptr<Kernel> function = module->find_kernel(kernel->name);
    for (const auto& [attribute, value] : kernel->attributes) {
      api::set_attribute(*function, attribute, value);
    }
  }
  const CUmodule handle = publish_module(context, module);
  modules_[context.id()] = {context.weak_from_this(), handle};
  return handle;
}

CUfunction Library::function(Context& context, const LibraryKernel& kernel) {
  return find_function(*context.module(module(context)), kernel.name);
}

void Library::set_attribute(LibraryKernel& kernel, CUfunction_attribute attribute, int value) {
  const std::lock_guard lock(mutex_);
  kernel.attributes[attribute] = value;
  for (const auto& [id, loaded] : modules_) {
    const std::shared_ptr<Context> context = loaded.context.lock();
    if (!context) continue;
    const std::shared_ptr<Module> module = context->module(loaded.module);
    api::set_attribute(*module->find_kernel(kernel.name), attribute, value);
  }
}

void Library::unload() {
  const std::lock_guard lock(mutex_);
  for (const auto& [id, loaded] : modules_) {
    // A context that has failed keeps what it has.
    const std::shared_ptr<Context> context = loaded.context.lock();
    if (context) (void)answer([&] { withdraw_module(*context, loaded.module); });
  }
  modules_.clear();
}

}  // namespace emulator::api
