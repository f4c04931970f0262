#include "cli/export/library_build.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "autokernel/base/error.h"
#include "autokernel/base/run_to_end.h"
#include "autokernel/base/search_path.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/compile/confined_python.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

// Compiling megabytes of numbers takes seconds.
constexpr std::chrono::seconds kPatience{300};
constexpr std::size_t kMostOutput = 16384;

constexpr const char* kWithout = "; --no-build writes the sources alone";

[[nodiscard]] fs::path compiler() {
  const char* const named = std::getenv("CC");
  if (named != nullptr && *named != '\0') {
    fs::path found = fs::path(named).has_parent_path() ? fs::path(named) : find_on_path(named);
    if (!found.empty()) return found;
    throw Error(Stop::environment,
                fmt::format("cannot build the library: CC is {}, which is no program{}",
                            visible_line(named), kWithout));
  }
  for (const char* const name : {"cc", "gcc", "clang"}) {
    if (fs::path found = find_on_path(name); !found.empty()) return found;
  }
  throw Error(Stop::environment,
              fmt::format("cannot build the library: there is no C compiler on the PATH (cc, gcc, "
                          "clang); install one (Debian: apt-get install gcc){}",
                          kWithout));
}

// A folder that the Python package of TVM-FFI tells.
[[nodiscard]] std::string folder_of_tvm_ffi(const std::string& python, const char* which) {
  EndedRun run;
  if (!python.empty()) {
    run = run_to_end({.program = python,
                      .arguments = {"-m", "tvm_ffi.config", which},
                      .environment = {},
                      .inherits = Inherits::everything},
                     kPatience, kMostOutput);
  }
  std::string folder = run.output.substr(0, run.output.find('\n'));
  if (run.succeeded() && fs::path(folder).is_absolute()) return folder;
  throw Error(Stop::environment,
              fmt::format("cannot build the module: {} has no apache-tvm-ffi; install it (pip "
                          "install apache-tvm-ffi){}",
                          python.empty() ? "the PATH has no Python, which" : visible_line(python),
                          kWithout));
}

}  // namespace

BuildTools tools_for(const LibraryBuild& build) {
  BuildTools tools{.compiler = compiler(), .flags = {}};
  if (!build.is_tvm_ffi) return tools;
  const std::string python = compile::active_python();
  tools.flags = {"-I" + folder_of_tvm_ffi(python, "--includedir"),
                 "-I" + folder_of_tvm_ffi(python, "--dlpack-includedir"),
                 "-L" + folder_of_tvm_ffi(python, "--libdir"), "-ltvm_ffi"};
  return tools;
}

void build_library(const fs::path& folder, const LibraryBuild& build, const BuildTools& tools) {
  std::vector<std::string> arguments = {build.is_tvm_ffi ? "-std=gnu11" : "-std=c11",
                                        "-O2",
                                        "-fPIC",
                                        "-fvisibility=hidden",
                                        "-shared",
                                        "-o",
                                        build.library};
  arguments.insert(arguments.end(), build.sources.begin(), build.sources.end());
  arguments.insert(arguments.end(), tools.flags.begin(), tools.flags.end());
  arguments.insert(arguments.end(), {"-ldl", "-lpthread"});
  const EndedRun run = run_to_end({.program = tools.compiler,
                                   .arguments = arguments,
                                   .environment = {},
                                   .inherits = Inherits::everything,
                                   .shared = nullptr,
                                   .directory = folder},
                                  kPatience, kMostOutput);
  if (run.succeeded()) return;
  throw Error(Stop::environment, fmt::format("cannot build {}: {} failed: {}", build.library,
                                             tools.compiler.string(), visible_line(run.output)));
}

}  // namespace autokernel::cli
