#include "autokernel/compile/compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <map>
#include <set>

#include "autokernel/base/bounded_text.h"
#include "autokernel/base/cache_folder.h"
#include "autokernel/base/defences.h"
#include "autokernel/base/error.h"
#include "autokernel/base/landlock.h"
#include "autokernel/compile/inclusion.h"
#include "autokernel/compile/reachable_headers.h"
#include "autokernel/compile/source_text.h"
#include "compile/builtin_headers.h"
#include "compile/crash_note.h"
#include "compile/declaration.h"
#include "compile/diagnosis.h"
#include "compile/image.h"
#include "compile/image_program.h"
#include "compile/kernel_info.h"
#include "compile/kernel_names.h"
#include "compile/limits.h"
#include "compile/nvrtc.h"
#include "compile/output_cache.h"
#include "compile/ptxas_report.h"
#include "compile/tensor_map.h"
#include "compile/toolkit.h"

namespace autokernel::compile {
namespace {

// The oldest NVRTC that knows C++20 and the header's designated initialisers as they are used.
constexpr std::pair kOldest = {12, 4};

// The first that knows --no-cache, and needs it.
constexpr std::pair kFirstWithCache = {12, 9};

// "sm_90a": the real architecture, for which NVRTC gives a cubin beside the PTX.
void require_architecture(const std::string& architecture, const Nvrtc& nvrtc) {
  const std::size_t digits = architecture.find_first_not_of("0123456789", 3);
  const bool formed = architecture.starts_with("sm_") && architecture.size() >= 5 &&
                      architecture.size() <= 7 &&
                      (digits == std::string::npos ||
                       (digits + 1 == architecture.size() && digits > 4 &&
                        (architecture[digits] == 'a' || architecture[digits] == 'f')));
  if (!formed) {
    throw Error(
        Stop::usage,
        fmt::format("cannot compile for \"{}\": write an architecture such as sm_90a or sm_80",
                    architecture));
  }
  const std::vector<int> known = nvrtc.architectures();
  const int number =
      std::stoi(architecture.substr(3, digits == std::string::npos ? digits : digits - 3));
  if (std::ranges::find(known, number) != known.end()) return;
  throw Error(
      Stop::environment,
      fmt::format(
          "cannot compile for {}: NVRTC {}.{} ({}) knows sm_{}; name one of these, or, where the "
          "device is one that it does not know, install a CUDA toolkit that fits it",
          architecture, nvrtc.version().first, nvrtc.version().second, nvrtc.library().string(),
          fmt::join(known, ", sm_")));
}

// Where the declaration is to be written: where one stands that does not count, or below the
// include. One in a file that nothing includes is the file's to be included.
SourceLine place_to_declare(const Source& source) {
  if (SourceLine declared = place_of_word(source, "AUTOKERNEL_LAUNCH"); declared.line > 0) {
    if (declared.file == source.name || own_files_in_use(source).contains(declared.file))
      return declared;
    throw Refused(
        fmt::format("{}nothing includes {}, which has AUTOKERNEL_LAUNCH; write #include "
                    "\"{}\" where it is to stand",
                    place(source.name, 1), declared.file, declared.file));
  }
  return {source.name, std::max(line_of_word(source.text, "autokernel"), 1U)};
}

std::vector<std::byte> required_launch(const Elf& elf, const Source& source) {
  if (auto bytes = constant_bytes(elf, kLaunchSymbol)) return *bytes;
  const std::vector<std::string> found = kernels(elf);
  throw Refused(fmt::format(
      "{}it does not say how to launch its kernel{}; below #include <autokernel.cuh>, outside "
      "any "
      "unnamed namespace, write AUTOKERNEL_LAUNCH({{.kernel = \"{}\", .grid = {{BLOCKS}}, "
      ".block = {{THREADS}}}});",
      place(place_to_declare(source)), found.size() == 1 ? " " + readable_name(found[0]) : "s",
      found.empty() ? "NAME" : readable_name(found[0])));
}

// "scale" of "scale<256>".
std::string_view template_of(std::string_view kernel) { return kernel.substr(0, kernel.find('<')); }

// Of a template the compiler makes what the file itself asks for, and a name in a declaration asks
// for nothing. `names` are those of the kernels that it has made.
std::string missing_instance(const std::string& kernel, const std::vector<std::string>& names,
                             const std::string& place) {
  if (kernel.starts_with("autokernel::kernel<"))
    return fmt::format("{}AUTOKERNEL_LAUNCH has .kernel = \"{}\"; write it without the quotes",
                       place, kernel);
  std::vector<std::string> made;
  for (const std::string& name : names) {
    const std::string readable = readable_name(name);
    if (readable.find('<') != std::string::npos && template_of(readable) == template_of(kernel))
      made.push_back(fmt::format("\"{}\"", readable));
  }
  // In the name a constant is a word, not its value.
  if (!made.empty()) {
    return fmt::format(
        "{}AUTOKERNEL_LAUNCH names \"{}\", but the file makes {}: write values there, not the "
        "names "
        "of constants or types, or make that instance too",
        place, kernel, fmt::join(made, ", "));
  }
  return fmt::format(
      "{}AUTOKERNEL_LAUNCH names \"{}\", an instance of a template that nothing in the file makes; "
      "write .kernel = autokernel::kernel<&{}>, below the template",
      place, kernel, kernel);
}

// In the order of their lines, by which the kernels' parameters follow each other.
std::vector<TensorMap> tensor_maps_of(const Elf& elf, const Source& source) {
  // As many as anybody needs: each is 128 of the 4 KiB that parameters had before CUDA 12.1.
  constexpr std::size_t kMostMaps = 16;
  std::vector<TensorMap> maps;
  for (const std::string& symbol : constants_called(elf, kTensorMapPrefix)) {
    const auto bytes = constant_bytes(elf, symbol);
    if (!bytes) continue;
    const std::string name = symbol.substr(std::string_view(kTensorMapPrefix).size());
    maps.push_back(decode_tensor_map(*bytes, symbol, file_with(source, line_of(*bytes), name)));
  }
  std::ranges::sort(maps, {}, &TensorMap::line);
  for (std::size_t i = 1; i < maps.size(); ++i) {
    if (maps[i].file != maps[0].file) {
      throw Refused(fmt::format(
          "{}the tensor maps {} and {} stand in two files; write all of them into one: kernels "
          "take them in the order of their lines",
          maps[i].place, maps[0].name, maps[i].name));
    }
    if (maps[i].line != maps[i - 1].line) continue;
    throw Refused(fmt::format(
        "{}the tensor maps {} and {} stand in one line; write each in a line of its own: kernels "
        "take them in the order of their lines",
        maps[i].place, maps[i - 1].name, maps[i].name));
  }
  if (maps.size() > kMostMaps) {
    throw Refused(fmt::format("{}the file has {} tensor maps; declare at most {}",
                              maps[kMostMaps].place, maps.size(), kMostMaps));
  }
  return maps;
}

Declaration declaration_of(const Elf& elf, const Source& source) {
  Declaration declaration;
  const std::vector<std::byte> launch = required_launch(elf, source);
  declaration.line = line_of(launch);
  declaration.file = file_with(source, declaration.line, "AUTOKERNEL_LAUNCH");
  declaration.launches =
      decode_launches(launch, functions_in(elf, kLaunchSymbol), declaration.file);

  if (const auto workspace = constant_bytes(elf, kWorkspaceSymbol)) {
    const WorkspaceWish wish = decode_workspace(
        *workspace, file_with(source, line_of(*workspace), "AUTOKERNEL_WORKSPACE"));
    declaration.workspace_bytes = wish.bytes;
    declaration.workspace_zeroed = wish.zeroed;
  }

  declaration.tensor_maps = tensor_maps_of(elf, source);

  const std::string where = place(declaration.file, declaration.line);
  const std::vector<std::string> names = kernels(elf);
  for (Launch& each : declaration.launches) {
    const auto kernel = resolve_kernel(each.kernel, names);
    if (!kernel && each.kernel.find('<') != std::string::npos) {
      throw Refused(missing_instance(each.kernel, names, where));
    }
    if (!kernel) {
      std::vector<std::string> readable;
      std::ranges::transform(names, std::back_inserter(readable), readable_name);
      throw Refused(fmt::format(
          "{}AUTOKERNEL_LAUNCH names the kernel \"{}\", but {}; fix the name, and write extern "
          "\"C\" before __global__ if kernels share it",
          where, each.kernel,
          names.empty() ? "the file has no __global__ function"
                        : fmt::format("the file has {}", fmt::join(readable, ", "))));
    }
    each.kernel = *kernel;
  }
  return declaration;
}

void require_text(const std::string& file, const std::string& text) {
  const std::size_t at = text.find('\0');
  if (at == std::string::npos) return;
  const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  throw Refused(fmt::format(
      "{}:{}: it holds a zero byte, at which a compiler stops reading; remove it", file, line + 1));
}
// Of a kernel of several files, which of them an #include means must be plain to whoever reads it:
// NVRTC would look for one that is not in another place than other compilers do.
void require_plain_inclusions(const Source& source,
                              const std::map<std::string, std::string>& in_use) {
  if (source.files.empty()) return;
  const auto require = [](const std::string& name, const std::string& text) {
    if (!has_hidden_inclusion(text)) return;
    throw Refused(
        fmt::format("{}: it has an #include that names no file plainly; write each as "
                    "#include \"NAME\" or #include <NAME>, on a line of its own",
                    name));
  };
  require(source.name, source.text);
  for (const auto& [name, text] : in_use) require(name, text);
}

void require_text(const Source& source) {
  require_text(source.name, source.text);
  const std::map<std::string, std::string> in_use = own_files_in_use(source);
  require_plain_inclusions(source, in_use);
  for (const auto& [name, text] : source.files) {
    if (in_use.contains(name)) require_text(name, text);
    if (name == kServedHeaderName || name == kSizesHeaderName || name == kCudaHeaderName) {
      throw Refused(
          fmt::format("{}: this is the name of a header that autokernel has for every "
                      "kernel; give the file another name",
                      name));
    }
  }
}

// As much as anybody reads: a source can make its compiler write gigabytes, and each compile of a
// trial hands its log on. Only after all of it has been searched for the first error.
std::string shortened(const std::string& log) {
  constexpr std::size_t kLongestLog = std::size_t{1} << 20;
  BoundedText kept(kLongestLog);
  kept.add(log);
  return kept.text();
}

// Editors put it in front of UTF-8, where it says nothing; NVRTC takes it for a token.
void remove_byte_order_mark(std::string& text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.erase(0, kMark.size());
}

// As the compiler is to see it.
Source readable(Source source) {
  remove_byte_order_mark(source.text);
  for (auto& [name, text] : source.files) remove_byte_order_mark(text);
  return with_own_names_resolved(source);
}

Program program_of(Nvrtc::Output output, const Request& request, const std::string& compiler) {
  Program program;
  try {
    const Elf elf(output.cubin);
    program.declaration = declaration_of(elf, request.source);
    read_image(elf, request, program);
  } catch (const BadElf& error) {
    throw Error(Stop::environment, fmt::format("cannot read the image that {} made of {}: {}; use "
                                               "a CUDA toolkit of version 12.4 to 13",
                                               compiler, request.source.name, error.what()));
  }
  const PtxasReport report = read_ptxas_report(output.log);
  for (auto& [kernel, resources] : program.resources) {
    const auto reported = report.resources.find(kernel);
    if (reported != report.resources.end()) resources.spill_bytes = reported->second.spill_bytes;
  }
  program.warnings = report.warnings;
  program.ptx = std::move(output.ptx);
  program.cubin = std::move(output.cubin);
  program.log = std::move(output.log);
  return program;
}

}  // namespace

namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

}  // namespace

namespace {

// Files in memory are called what they were included as, behind the folder that the compiler runs
// in, which says nothing of them: `.file 2 "/where/it/runs/include/tile.cuh"`.
std::string without_working_folder(std::string ptx) {
  std::error_code unknown;
  const std::string folder = "\"" + std::filesystem::current_path(unknown).string() + "/";
  if (unknown) return ptx;
  constexpr std::string_view kFile = "\n\t.file\t";
  for (std::size_t at = ptx.find(kFile); at != std::string::npos; at = ptx.find(kFile, at + 1)) {
    const std::size_t name = ptx.find('"', at);
    if (name != std::string::npos && ptx.compare(name, folder.size(), folder) == 0)
      ptx.erase(name + 1, folder.size() - 1);
  }
  return ptx;
}

// The harness's own, the source's, and those of libraries that have other names: NVRTC takes no
// name twice.
std::vector<Nvrtc::Header> headers_for(const Request& request) {
  std::vector<Nvrtc::Header> headers = {
      {kServedHeaderName, served_header()},
      {kSizesHeaderName, sizes_header(request.sizes, request.types)},
      // CUDA's own is for host code; kernels have its CUtensorMap from the served header.
      {kCudaHeaderName, fmt::format("#include <{}>\n", kServedHeaderName)}};
  for (const auto& [name, text] : request.source.files) headers.push_back({name, text});
  std::set<std::string> taken;
  for (const Nvrtc::Header& header : headers) taken.insert(header.name);
  for (const auto& [name, text] : request.headers) {
    if (!taken.contains(name)) headers.push_back({name, text});
  }
  return headers;
}

}  // namespace

class Compiler::Library {
 public:
  Library(Nvrtc nvrtc, std::vector<std::filesystem::path> includes, Caching caching)
      : nvrtc_(std::move(nvrtc)), includes_(std::move(includes)) {
    if (caching == Caching::yes) cache_.emplace(cache_folder() / "compiled");
  }

  [[nodiscard]] const Nvrtc& nvrtc() const { return nvrtc_; }
  [[nodiscard]] const std::vector<std::filesystem::path>& includes() const { return includes_; }

  [[nodiscard]] bool is_cudas(const std::string& header) const {
    return std::ranges::any_of(includes_, [&](const std::filesystem::path& folder) {
      std::error_code unreadable;
      return std::filesystem::exists(folder / header, unreadable);
    });
  }

  // The same for everybody: what makes one kernel faster than another stands in the file.
  [[nodiscard]] std::vector<std::string> options(const std::string& architecture) const {
    std::vector<std::string> options = {"--gpu-architecture=" + architecture, "--std=c++20",
                                        "-DNDEBUG", "--ptxas-options=--verbose",
                                        // For source_line(); the machine code is the same with it.
                                        "--generate-line-info"};
    // From 12.9 on NVRTC may take its output from a folder that anyone of this user can write to,
    // and then leaves out ptxas's report.
    if (nvrtc_.version() >= kFirstWithCache) options.emplace_back("--no-cache");
    for (const std::filesystem::path& folder : includes_)
      options.push_back("--include-path=" + folder.string());
    return options;
  }

  [[nodiscard]] Nvrtc::Output output(const Request& request, bool& from_cache) const {
    std::vector<std::string> flags = options(request.architecture);
    flags.insert(flags.end(), request.flags.begin(), request.flags.end());
    const std::vector<Nvrtc::Header> headers = headers_for(request);
    const std::string key = cache_ ? key_of(request, flags, headers) : std::string();
    if (cache_) {
      if (auto known = cache_->find(key)) {
        from_cache = true;
        return *std::move(known);
      }
    }
    Nvrtc::Output output =
        std::async(std::launch::async, [&] {
          confine();
          const auto [major, minor] = nvrtc_.version();
          const CrashNote note(
              fmt::format("{}: the compiler (NVRTC {}.{}) crashed on this source, for {}; it is "
                          "often unusual inline asm or very deep nesting: write it in another way",
                          request.source.name, major, minor, request.architecture));
          return nvrtc_.compile(request.source.text, compiled_name(request.source.name), headers,
                                flags);
        }).get();
    output.ptx = without_working_folder(std::move(output.ptx));
    output.log =
        replaced(std::move(output.log), compiled_name(request.source.name), request.source.name);
    if (cache_ && output.outcome == Nvrtc::Outcome::compiled) cache_->keep(key, output);
    return output;
  }

 private:
  void confine() const {
    if (!stands(Defence::confined_compiler)) return;
    std::vector<std::filesystem::path> readable = includes_;
    readable.push_back(nvrtc_.library().parent_path());
    static_cast<void>(confine_thread_to_reading(readable));
  }

  // Everything an output depends on. A toolkit is taken to be replaced as a whole: its library and
  // the header that carries its version stand for all its files.
  [[nodiscard]] std::string key_of(const Request& request, const std::vector<std::string>& flags,
                                   const std::vector<Nvrtc::Header>& headers) const {
    std::vector<std::string> parts = flags;
    parts.push_back(identity(nvrtc_.library()));
    for (const std::filesystem::path& folder : includes_)
      parts.push_back(identity(folder / "cuda.h"));
    for (const Nvrtc::Header& header : headers) {
      parts.push_back(header.name);
      parts.push_back(header.text);
    }
    parts.push_back(request.source.name);
    parts.push_back(request.source.text);
    // Lengths first, so that no two lists of parts look alike.
    std::string key;
    for (const std::string& part : parts) key += fmt::format("{} ", part.size());
    for (const std::string& part : parts) key += part;
    return key;
  }

  [[nodiscard]] static std::string identity(const std::filesystem::path& file) {
    std::error_code missing;
    const std::filesystem::path real = std::filesystem::canonical(file, missing);
    if (missing) return file.string();
    return fmt::format("{} {} {}", real.string(), std::filesystem::file_size(real, missing),
                       std::filesystem::last_write_time(real, missing).time_since_epoch().count());
  }

  Nvrtc nvrtc_;
  std::vector<std::filesystem::path> includes_;
  std::optional<OutputCache> cache_;
};

Compiler::Compiler(std::unique_ptr<Library> library) : library_(std::move(library)) {}
Compiler::Compiler(Compiler&&) noexcept = default;
Compiler& Compiler::operator=(Compiler&&) noexcept = default;
Compiler::~Compiler() = default;

Compiler Compiler::open(Caching caching) {
  const SearchPlaces places = search_places();
  std::string tried;
  for (const std::filesystem::path& candidate : nvrtc_candidates(places)) {
    try {
      Nvrtc nvrtc(candidate);
      if (nvrtc.version() < kOldest) {
        throw BadLibrary(
            fmt::format("its version is {}.{}", nvrtc.version().first, nvrtc.version().second));
      }
      std::vector<std::filesystem::path> includes = header_folders(nvrtc.library(), places);
      if (includes.empty())
        throw BadLibrary("CUDA's headers (cuda_fp16.h) are neither beside it nor elsewhere");
      return Compiler(std::make_unique<Library>(std::move(nvrtc), std::move(includes), caching));
    } catch (const BadLibrary& error) {
      tried += fmt::format("\n  {}: {}", candidate.string(), error.what());
    }
  }
  throw Error(
      Stop::environment,
      fmt::format(
          "cannot find NVRTC {}.{} or newer with CUDA's headers in CUDA_HOME, the loader's path, "
          "/usr/local/cuda*, cuda-wheels beside the program or the packages of python3; pip "
          "install "
          "nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cuda-crt nvidia-cuda-cccl, "
          "or install a CUDA toolkit and set CUDA_HOME. Tried:{}",
          kOldest.first, kOldest.second, tried));
}

Compilation Compiler::compile(const Request& request) const {
  const auto start = std::chrono::steady_clock::now();
  require_architecture(request.architecture, library_->nvrtc());
  Nvrtc::Output output;
  bool from_cache = false;
  try {
    require_text(request.source);
    Request readable_request = request;
    readable_request.source = readable(request.source);
    output = library_->output(readable_request, from_cache);
    switch (output.outcome) {
      case Nvrtc::Outcome::compiled:
        break;
      case Nvrtc::Outcome::rejected:
        throw Refused(first_error(output.log, request.source,
                                  {library_->includes(), request.headers}, output.ptx));
      case Nvrtc::Outcome::option_not_understood:
        throw Error(
            Stop::environment,
            fmt::format("cannot compile {} for {} with {}: unknown option: {}", request.source.name,
                        request.architecture, library().string(), output.log));
    }
    const std::string log = shortened(output.log);
    try {
      Program program = program_of(std::move(output), request, library().string());
      program.log = shortened(program.log);
      for (const auto& [name, text] : request.source.files) {
        if (library_->is_cudas(name)) {
          program.warnings.push_back(
              fmt::format("{} takes the place of CUDA's header of that name; give it another name "
                          "if that is not meant",
                          name));
        }
      }
      program.from_cache = from_cache;
      program.seconds =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      return program;
    } catch (const Refused& refused) {
      return Refusal{refused.what(), log};
    }
  } catch (const Refused& refused) {
    return Refusal{refused.what(), shortened(output.log)};
  }
}

std::string Compiler::version() const {
  const auto [major, minor] = library_->nvrtc().version();
  return fmt::format("{}.{}", major, minor);
}

std::filesystem::path Compiler::library() const { return library_->nvrtc().library(); }

const std::vector<std::filesystem::path>& Compiler::include_directories() const {
  return library_->includes();
}

}  // namespace autokernel::compile
