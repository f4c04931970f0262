#include "autokernel/compile/host_library.h"

#include <fmt/format.h>

#include <chrono>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/run_to_end.h"
#include "autokernel/base/search_path.h"
#include "compile/builtin_headers.h"
#include "compile/toolkit.h"

namespace autokernel::compile {
namespace {

namespace fs = std::filesystem;

// The largest library of templates takes one.
constexpr std::chrono::minutes kPatience{5};
// Of an error the first lines say what is wrong.
constexpr std::size_t kMostSaid = 2000;

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

// From the folder where it is built.
[[nodiscard]] std::vector<std::string> arguments_for(const HostProgram& program,
                                                     const fs::path& library) {
  const bool is_cuda = fs::path(program.file).extension() == ".cu";
  std::vector<std::string> all = {"-shared",        "-O2",        "-std=c++17", "-w", "-o",
                                  library.string(), program.file, "-I."};
  // A library of C++ of its own, as the one that this program came with may be older.
  const std::vector<std::string> of_the_host = {"-fPIC", "-static-libstdc++", "-static-libgcc"};
  for (const std::string& option : of_the_host) {
    if (is_cuda) all.emplace_back("-Xcompiler");
    all.push_back(option);
  }
  if (is_cuda) all.push_back("-arch=" + program.architecture);
  const HostFolders places = host_folders(search_places());
  for (const fs::path& headers : places.headers) all.push_back("-I" + headers.string());
  // What it loads by name is looked for there.
  for (const fs::path& libraries : places.libraries)
    all.insert(all.end(), {"-Xlinker", "-rpath", "-Xlinker", libraries.string()});
  all.emplace_back("-ldl");
  return all;
}

}  // namespace

fs::path build_host_library(const HostProgram& program, const fs::path& folder,
                            const std::function<void()>& meanwhile) {
  const fs::path compiler = compiler_for(program);
  for (const auto& [name, text] : host_headers())
    write_file_atomically(folder / name, text, Sync::no);
  write_file_atomically(folder / kSizesHeaderName, sizes_header(program.sizes, program.types),
                        Sync::no);
  write_file_atomically(folder / program.file, program.text, Sync::no);
  fs::path library = folder / "baseline.so";
  const EndedRun run = run_to_end({.program = compiler,
                                   .arguments = arguments_for(program, library),
                                   .environment = {{"LC_ALL", "C.UTF-8"}},
                                   .directory = folder},
                                  kPatience, kMostSaid, meanwhile);
  if (run.succeeded()) return library;
  throw Error(Stop::environment,
              fmt::format("cannot build {} with {}: {}", program.file, compiler.string(),
                          run.ending ? run.output : "it did not end within 5 minutes"));
}

}  // namespace autokernel::compile
