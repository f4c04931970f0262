#include "compile/nvrtc.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <nvrtc.h>

#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/base/owned.h"

namespace autokernel::compile {
namespace {

std::string dl_error() {
  const char* text = dlerror();  // NOLINT(concurrency-mt-unsafe): glibc keeps it by thread
  return text == nullptr ? "the loader gives no reason" : text;
}

template <typename Function>
Function* find(void* library, const char* name) {
  void* symbol = dlsym(library, name);
  if (symbol == nullptr) throw BadLibrary(fmt::format("it has no {}: {}", name, dl_error()));
  return reinterpret_cast<Function*>(symbol);
}

// NVRTC opens libnvrtc-builtins by its bare name when it compiles, and the loader knows only some
// folders; wheels and toolkits that are not registered are not among them. A library that is loaded
// already is found by its name.
[[nodiscard]] std::vector<Owned<void*>> builtins_beside(const std::filesystem::path& library) {
  std::vector<Owned<void*>> loaded;
  std::error_code unreadable;
  for (const auto& entry : std::filesystem::directory_iterator(library.parent_path(), unreadable)) {
    if (!entry.path().filename().string().starts_with("libnvrtc-builtins.so.")) continue;
    // Where this fails, the compile says so.
    loaded.emplace_back(dlopen(entry.path().c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE),
                        [](void* l) { dlclose(l); });
  }
  return loaded;
}

}  // namespace

struct Nvrtc::Functions {
  explicit Functions(const std::filesystem::path& file)
      // Unloading runs the destructors of a library that may have started threads; it stays until
      // the process ends.
      : library(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE),
                [](void* l) { dlclose(l); }) {
    if (library.get() == nullptr) throw BadLibrary(dl_error());
    void* from = library.get();
    version = find<decltype(nvrtcVersion)>(from, "nvrtcVersion");
    arch_count = find<decltype(nvrtcGetNumSupportedArchs)>(from, "nvrtcGetNumSupportedArchs");
    archs = find<decltype(nvrtcGetSupportedArchs)>(from, "nvrtcGetSupportedArchs");
    create = find<decltype(nvrtcCreateProgram)>(from, "nvrtcCreateProgram");
    destroy = find<decltype(nvrtcDestroyProgram)>(from, "nvrtcDestroyProgram");
    compile = find<decltype(nvrtcCompileProgram)>(from, "nvrtcCompileProgram");
    ptx_size = find<decltype(nvrtcGetPTXSize)>(from, "nvrtcGetPTXSize");
    ptx = find<decltype(nvrtcGetPTX)>(from, "nvrtcGetPTX");
    cubin_size = find<decltype(nvrtcGetCUBINSize)>(from, "nvrtcGetCUBINSize");
    cubin = find<decltype(nvrtcGetCUBIN)>(from, "nvrtcGetCUBIN");
    log_size = find<decltype(nvrtcGetProgramLogSize)>(from, "nvrtcGetProgramLogSize");
    log = find<decltype(nvrtcGetProgramLog)>(from, "nvrtcGetProgramLog");
    error_text = find<decltype(nvrtcGetErrorString)>(from, "nvrtcGetErrorString");
    Dl_info info{};
    const bool known =
        dladdr(reinterpret_cast<void*>(version), &info) != 0 && info.dli_fname != nullptr;
    path = known ? std::filesystem::path(info.dli_fname) : file;
    builtins = builtins_beside(path);
  }

  void check(nvrtcResult result, const char* call) const {
    if (result == NVRTC_SUCCESS) return;
    const char* text = error_text(result);
    throw Error(
        Stop::environment,
        fmt::format("cannot compile with {}: {}; check that the CUDA toolkit is complete [{}]",
                    path.string(),
                    text == nullptr ? std::to_string(static_cast<int>(result)) : text, call));
  }

  // Texts of NVRTC's come as a size that counts the final zero, then the bytes.
  template <typename Size, typename Get>
  std::string text(nvrtcProgram program, Size* get_size, Get* get, const char* call) const {
    std::size_t size = 0;
    check(get_size(program, &size), call);
    std::string result(size, '\0');
    if (size > 0) check(get(program, result.data()), call);
    result.resize(result.find('\0') == std::string::npos ? result.size() : result.find('\0'));
    return result;
  }

  Owned<void*> library;
  std::vector<Owned<void*>> builtins;
  std::filesystem::path path;
  decltype(nvrtcVersion)* version;
  decltype(nvrtcGetNumSupportedArchs)* arch_count;
  decltype(nvrtcGetSupportedArchs)* archs;
  decltype(nvrtcCreateProgram)* create;
  decltype(nvrtcDestroyProgram)* destroy;
  decltype(nvrtcCompileProgram)* compile;
  decltype(nvrtcGetPTXSize)* ptx_size;
  decltype(nvrtcGetPTX)* ptx;
  decltype(nvrtcGetCUBINSize)* cubin_size;
  decltype(nvrtcGetCUBIN)* cubin;
  decltype(nvrtcGetProgramLogSize)* log_size;
  decltype(nvrtcGetProgramLog)* log;
  decltype(nvrtcGetErrorString)* error_text;
};

Nvrtc::Nvrtc(const std::filesystem::path& library)
    : functions_(std::make_unique<Functions>(library)) {}
Nvrtc::Nvrtc(Nvrtc&&) noexcept = default;
Nvrtc& Nvrtc::operator=(Nvrtc&&) noexcept = default;
Nvrtc::~Nvrtc() = default;

Nvrtc::Output Nvrtc::compile(const std::string& source, const std::string& name,
                             const std::vector<Header>& headers,
                             const std::vector<std::string>& options) const {
  const Functions& api = *functions_;
  std::vector<const char*> names;
  std::vector<const char*> texts;
  for (const Header& header : headers) {
    names.push_back(header.name.c_str());
    texts.push_back(header.text.c_str());
  }
  std::vector<const char*> flags;
  flags.reserve(options.size());
  for (const std::string& option : options) flags.push_back(option.c_str());

  nvrtcProgram made = nullptr;
  api.check(api.create(&made, source.c_str(), name.c_str(), static_cast<int>(headers.size()),
                       texts.data(), names.data()),
            "nvrtcCreateProgram");
  const Owned<nvrtcProgram> program(made, [&api](nvrtcProgram p) { api.destroy(&p); });

  Output output;
  const nvrtcResult result =
      api.compile(program.get(), static_cast<int>(flags.size()), flags.data());
  output.log = api.text(program.get(), api.log_size, api.log, "nvrtcGetProgramLog");
  if (result == NVRTC_ERROR_INVALID_OPTION) {
    output.outcome = Outcome::option_not_understood;
    return output;
  }
  if (result == NVRTC_ERROR_COMPILATION) {
    // Where only the assembler refused it, there is PTX.
    std::size_t bytes = 0;
    if (api.ptx_size(program.get(), &bytes) == NVRTC_SUCCESS && bytes > 1) {
      output.ptx = api.text(program.get(), api.ptx_size, api.ptx, "nvrtcGetPTX");
    }
    return output;
  }
  api.check(result, "nvrtcCompileProgram");
  output.outcome = Outcome::compiled;
  output.ptx = api.text(program.get(), api.ptx_size, api.ptx, "nvrtcGetPTX");
  std::size_t size = 0;
  api.check(api.cubin_size(program.get(), &size), "nvrtcGetCUBINSize");
  output.cubin.resize(size);
  if (size > 0) {
    api.check(api.cubin(program.get(), reinterpret_cast<char*>(output.cubin.data())),
              "nvrtcGetCUBIN");
  }
  return output;
}

std::pair<int, int> Nvrtc::version() const {
  int major = 0;
  int minor = 0;
  functions_->check(functions_->version(&major, &minor), "nvrtcVersion");
  return {major, minor};
}

std::vector<int> Nvrtc::architectures() const {
  int count = 0;
  functions_->check(functions_->arch_count(&count), "nvrtcGetNumSupportedArchs");
  std::vector<int> result(static_cast<std::size_t>(count));
  functions_->check(functions_->archs(result.data()), "nvrtcGetSupportedArchs");
  return result;
}

const std::filesystem::path& Nvrtc::library() const { return functions_->path; }

}  // namespace autokernel::compile
