#include "autokernel/compile/host_library.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <system_error>
#include <thread>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/packing.h"
#include "autokernel/base/run_to_end.h"
#include "autokernel/base/search_path.h"
#include "compile/built_library_cache.h"
#include "compile/builtin_headers.h"
#include "compile/toolkit.h"

namespace autokernel::compile {
namespace {

namespace fs = std::filesystem;

// The largest library of templates takes one.
constexpr std::chrono::minutes kPatience{5};
// Of an error the first lines say what is wrong.
constexpr std::size_t kMostSaid = 2000;
// How often whoever waits is called back.
constexpr std::chrono::milliseconds kInterval{10};

[[nodiscard]] fs::path compiler_for(const HostProgram& program) {
  const bool is_cuda = fs::path(program.file).extension() == ".cu";
  fs::path found = is_cuda ? find_nvcc(search_places()) : find_on_path("c++");
  if (!found.empty()) return found;
  throw Error(Stop::environment,
              fmt::format("cannot build {}: there is no {}", program.file,
                          is_cuda ? "nvcc, in CUDA_HOME, on the PATH or where else CUDA may be; "
                                    "install the CUDA toolkit, or pip install nvidia-cuda-nvcc"
                                  : "c++ on the PATH; install one, for example g++"));
}

// Beside the program's file.
constexpr const char* kLibraryName = "baseline.so";
constexpr const char* kMakefileName = "baseline.d";

// From the folder where it is built.
[[nodiscard]] std::vector<std::string> arguments_for(const HostProgram& program) {
  const bool is_cuda = fs::path(program.file).extension() == ".cu";
  // Asserts in a kernel are calls, which some instructions must not be spread over.
  std::vector<std::string> all = {"-shared", "-O3", "-DNDEBUG",    "-std=c++17",
                                  "-w",      "-o",  kLibraryName,  program.file,
                                  "-MD",     "-MF", kMakefileName, "-I."};
  // A library of C++ of its own, as the one that this program came with may be older.
  const std::vector<std::string> of_the_host = {"-fPIC", "-static-libstdc++", "-static-libgcc"};
  for (const std::string& option : of_the_host) {
    if (is_cuda) all.emplace_back("-Xcompiler");
    all.push_back(option);
  }
  // CUTLASS and others call constexpr functions of the host's in kernels.
  if (is_cuda) all.insert(all.end(), {"-arch=" + program.architecture, "--expt-relaxed-constexpr"});
  for (const fs::path& headers : program.headers) all.push_back("-I" + headers.string());
  const HostFolders places = host_folders(search_places());
  for (const fs::path& headers : places.headers) all.push_back("-I" + headers.string());
  // What it loads by name is looked for there.
  for (const fs::path& libraries : places.libraries)
    all.insert(all.end(), {"-Xlinker", "-rpath", "-Xlinker", libraries.string()});
  all.emplace_back("-ldl");
  return all;
}

// What is written into the folder, by name.
[[nodiscard]] std::map<std::string, std::string> files_of(const HostProgram& program) {
  std::map<std::string, std::string> files = host_headers();
  files[kSizesHeaderName] = sizes_header(program.sizes, program.types);
  files[program.file] = program.text;
  return files;
}

// All that a library depends on, beside the headers that it includes.
[[nodiscard]] std::string key_of(const fs::path& compiler,
                                 const std::vector<std::string>& arguments,
                                 const std::map<std::string, std::string>& files) {
  Packer key;
  // nvcc calls others.
  for (const fs::path& program :
       {compiler, compiler.parent_path() / "ptxas",
        compiler.parent_path().parent_path() / "nvvm/bin/cicc", find_on_path("c++")}) {
    std::error_code unknown;
    const fs::path real = fs::canonical(program, unknown);
    key.bytes(real.native()).number(fs::file_size(real, unknown));
    key.number(
        static_cast<std::uint64_t>(fs::last_write_time(real, unknown).time_since_epoch().count()));
  }
  for (const std::string& argument : arguments) key.bytes(argument);
  for (const auto& [name, text] : files) key.bytes(name).bytes(text);
  return key.packed();
}

// Of the headers outside of the folder, whose own are in the key.
[[nodiscard]] std::vector<fs::path> built_from(const fs::path& folder) {
  std::vector<fs::path> all =
      dependencies_in(read_file(folder / kMakefileName, "what a baseline is built from"));
  std::erase_if(all, [](const fs::path& file) { return file.is_relative(); });
  return all;
}

}  // namespace

fs::path build_host_library(const HostProgram& program, const fs::path& folder, Caching caching,
                            const std::function<void()>& meanwhile) {
  const fs::path compiler = compiler_for(program);
  const std::vector<std::string> arguments = arguments_for(program);
  const std::map<std::string, std::string> files = files_of(program);
  const std::string key = key_of(compiler, arguments, files);
  const fs::file_time_type begun = fs::file_time_type::clock::now();
  const fs::path library = folder / kLibraryName;
  if (caching == Caching::yes) {
    if (const std::optional<std::string> built = find_built_library(built_libraries(), key)) {
      write_file_atomically(library, *built, Sync::no);
      return library;
    }
  }
  for (const auto& [name, text] : files) write_file_atomically(folder / name, text, Sync::no);
  const EndedRun run = run_to_end({.program = compiler,
                                   .arguments = arguments,
                                   .environment = {{"LC_ALL", "C.UTF-8"}},
                                   .directory = folder},
                                  kPatience, kMostSaid, meanwhile);
  if (!run.succeeded()) {
    throw Error(Stop::environment,
                fmt::format("cannot build {} with {}: {}", program.file, compiler.string(),
                            run.ending ? run.output : "it did not end within 5 minutes"));
  }
  if (caching == Caching::yes) {
    const std::vector<fs::path> headers = built_from(folder);
    // One that was changed meanwhile may be in it as it was before.
    const bool are_older = std::ranges::all_of(headers, [&](const fs::path& header) {
      std::error_code gone;
      return fs::last_write_time(header, gone) < begun && !gone;
    });
    if (are_older)
      keep_built_library(built_libraries(), key, read_file(library, "a baseline"), headers);
  }
  return library;
}

std::size_t compilers_at_a_time() {
  const auto memory = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                      static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return std::clamp<std::size_t>(memory / kCompilerBytes, 1,
                                 std::max(1U, std::thread::hardware_concurrency()));
}

std::vector<BuiltLibrary> build_host_libraries(const std::vector<HostProgram>& programs,
                                               const fs::path& folder, Caching caching,
                                               const std::function<void()>& meanwhile) {
  std::vector<BuiltLibrary> built(programs.size());
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> ended = 0;
  const auto build_some = [&] {
    for (std::size_t i = next++; i < programs.size(); i = next++) {
      try {
        const fs::path place = folder / std::to_string(i);
        fs::create_directory(place);
        built[i].library = build_host_library(programs[i], place, caching, [] {});
      } catch (const std::exception& error) {
        built[i].why = error.what();
      }
      ++ended;
    }
  };
  std::vector<std::jthread> builders;
  for (std::size_t i = 0; i < std::min(compilers_at_a_time(), programs.size()); ++i)
    builders.emplace_back(build_some);
  while (ended < programs.size()) {
    meanwhile();
    std::this_thread::sleep_for(kInterval);
  }
  return built;
}

}  // namespace autokernel::compile
