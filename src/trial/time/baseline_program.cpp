#include "trial/time/baseline_program.h"

#include <autokernel_baseline.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"

namespace autokernel::trial {
namespace {

[[noreturn]] void fail(const std::string& file, const char* verb, const std::string& why) {
  throw Error(Stop::environment, fmt::format("cannot {} the baseline {}: {}", verb, file,
                                             why.empty() ? "it does not say why" : why));
}

template <typename Function>
[[nodiscard]] Function* found(void* library, const std::string& file, const char* name) {
  auto* const function = reinterpret_cast<Function*>(dlsym(library, name));
  if (function == nullptr)
    fail(file, "load", fmt::format("it does not define {} (autokernel_baseline.h)", name));
  return function;
}

[[nodiscard]] std::string text_of(const char* text) {
  constexpr std::size_t kLongest = 300;
  std::string visible = text == nullptr ? "" : visible_line(text);
  if (visible.size() > kLongest) visible = visible.substr(0, kLongest) + "...";
  return visible;
}

}  // namespace

LoadedBaseline::LoadedBaseline(const cases::BaselineProgram& program, const driver::Device& device,
                               const SizedCase& sized, const std::string& architecture,
                               compile::Caching caching, const std::function<void()>& meanwhile)
    : file_(program.file.filename().string()) {
  const std::filesystem::path path =
      compile::build_host_library({.file = file_,
                                   .text = program.source,
                                   .sizes = sized.sizes,
                                   .types = sized.type_names(),
                                   .architecture = architecture},
                                  folder_.path(), caching, meanwhile);
  // Libraries that it brings in leave threads behind, whose code must stay.
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) fail(file_, "load", dlerror());
  launch_ = found<Launch>(library, file_, "autokernel_baseline_launch");
  auto* const prepare =
      found<const char*(AutokernelBaseline*)>(library, file_, "autokernel_baseline_prepare");
  AutokernelBaseline baseline{};
  if (const char* why = prepare(&baseline)) fail(file_, "use", text_of(why));
  name_ = text_of(baseline.name);
  configuration_ = text_of(baseline.configuration);
  if (name_.empty()) fail(file_, "use", "it names no library");
  if (baseline.workspace_bytes == 0) return;
  try {
    workspace_ = device.allocate(baseline.workspace_bytes);
  } catch (const Error&) {
    fail(file_, "use",
         fmt::format("there is no room for its workspace of {} bytes", baseline.workspace_bytes));
  }
}

void LoadedBaseline::queue(std::span<void* const> arguments, const driver::Stream& stream) const {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): it takes device addresses as pointers.
  auto* const workspace = reinterpret_cast<void*>(workspace_.address());
  if (const char* why = launch_(arguments.data(), workspace, stream.get()))
    fail(file_, "launch", text_of(why));
}

}  // namespace autokernel::trial
