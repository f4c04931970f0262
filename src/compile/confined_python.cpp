#include "autokernel/compile/confined_python.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "autokernel/base/environment.h"
#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/packing.h"
#include "autokernel/base/run_to_end.h"
#include "autokernel/base/search_path.h"

namespace autokernel::compile {
namespace {

namespace fs = std::filesystem;

// For a version manager, which looks for the Python to start.
constexpr std::chrono::seconds kPatienceToAsk{60};
constexpr std::size_t kMostSaid = 4096;

// Where a Python that lies in ROOT/bin has its programs, libraries and packages.
void add_root(std::vector<fs::path>& readable, const fs::path& root) {
  if (!root.is_absolute()) return;
  for (const char* const part : {"bin", "lib", "lib64", "include", "pyvenv.cfg"})
    readable.push_back(root / part);
}

ConfinedCommand command_of(const fs::path& python, const fs::path& folder, const char* script) {
  ConfinedCommand command{.words = {python.string(), "-W", "ignore", (folder / script).string()},
                          .readable = folders_of_python(python)};
  for (const char* const system :
       {"/usr", "/bin", "/lib", "/lib32", "/lib64", "/opt", "/etc/ld.so.cache", "/etc/localtime",
        "/etc/alternatives", "/dev/urandom", "/dev/zero", "/proc/cpuinfo",
        "/sys/devices/system/cpu"}) {
    command.readable.emplace_back(system);
  }
  return command;
}

// Of a list of folders, those that mean the same wherever they are looked for.
std::string absolute_folders(const std::string& list) {
  std::string kept;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    const std::string folder = list.substr(begin, end - begin);
    if (folder.starts_with('/')) kept += (kept.empty() ? "" : ":") + folder;
    begin = end + 1;
  }
  return kept;
}

// Of ours, what a Python needs to be the same one; and nothing that names a GPU, or holds a secret.
Variables variables(const fs::path& folder) {
  Variables chosen;
  for (const auto& [name, value] : own_variables()) {
    if (name == "PATH" || name == "LANG" || name.starts_with("LC_") || name == "LD_LIBRARY_PATH" ||
        name == "CUDA_HOME" || name == "AUTOKERNEL_TURN") {
      const bool is_list = name == "PATH" || name == "LD_LIBRARY_PATH";
      chosen[name] = is_list ? absolute_folders(value) : value;
    }
  }
  const char* const home = std::getenv("HOME");
  if (home != nullptr) chosen["PYTHONUSERBASE"] = (fs::path(home) / ".local").string();
  chosen["HOME"] = chosen["TMPDIR"] = chosen["XDG_CACHE_HOME"] = folder.string();
  // PyTorch calls a folder by the user, whose name is in a file that cannot be read.
  chosen["LOGNAME"] = "autokernel";
  chosen["PYTHONDONTWRITEBYTECODE"] = "1";
  chosen["CUDA_VISIBLE_DEVICES"] = "";
  return chosen;
}

// A version manager's, which looks for the Python to start.
bool is_script(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::array<char, 2> begin{};
  return stream.read(begin.data(), begin.size()) && begin[0] == '#' && begin[1] == '!';
}

// Which one that starts. It is the user's own, by the PATH.
std::string executable_of(const std::string& script) {
  const EndedRun run = run_to_end({.program = script,
                                   .arguments = {"-I", "-c", "import sys; print(sys.executable)"},
                                   .environment = {}},
                                  kPatienceToAsk, kMostSaid);
  const std::string answer = run.output.substr(0, run.output.find('\n'));
  return run.succeeded() && answer.starts_with('/') ? answer : script;
}

}  // namespace

fs::path runnable_python(const std::string& named, const std::string& task,
                         const std::string& section) {
  fs::path python = named;
  if (!python.has_parent_path()) python = find_on_path(python.string());
  if (!python.empty() && ::access(python.c_str(), X_OK) == 0) return fs::absolute(python);
  throw Error(
      Stop::environment,
      fmt::format("cannot {}: there is no Python{}; install it, activate its environment, or "
                  "name it: {} python = \"PATH\"",
                  task, named.empty() ? ", no python3 on the PATH" : " " + named, section));
}

// What it imports from. It is not asked: it may be a program of whoever wrote the case.
std::vector<fs::path> folders_of_python(const fs::path& python) {
  std::vector<fs::path> readable = {python};
  add_root(readable, python.parent_path().parent_path());
  // An environment's Python is a link to the one that it was made with.
  fs::path at = python;
  constexpr int kMostLinks = 16;
  std::error_code failed;
  for (int links = 0; links < kMostLinks && fs::is_symlink(at, failed); ++links) {
    const fs::path to = fs::read_symlink(at, failed);
    at = to.is_absolute() ? to : at.parent_path() / to;
    readable.push_back(at);
    add_root(readable, at.lexically_normal().parent_path().parent_path());
  }
  const fs::path whole = fs::canonical(python, failed);
  if (!failed) add_root(readable, whole.parent_path().parent_path());
  const char* const home = std::getenv("HOME");
  if (home != nullptr) readable.push_back(fs::path(home) / ".local" / "lib");
  return readable;
}

std::string active_python() {
  const char* const environment = std::getenv("VIRTUAL_ENV");
  if (environment != nullptr && *environment != '\0')
    return fs::path(environment) / "bin" / "python3";
  const std::string found = find_on_path("python3").string();
  return is_script(found) ? executable_of(found) : found;
}

std::string packed(const ConfinedCommand& command) {
  Packer packer;
  packer.number(command.words.size());
  for (const std::string& word : command.words) packer.bytes(word);
  packer.number(command.readable.size());
  for (const fs::path& path : command.readable) packer.bytes(path.string());
  return packer.packed();
}

ConfinedCommand unpacked_command(std::string_view bytes) {
  constexpr std::uint64_t kMost = 10'000;
  ConfinedCommand command;
  Unpacker unpacker(bytes);
  for (std::uint64_t left = std::min(unpacker.number(), kMost); left > 0; --left)
    command.words.emplace_back(unpacker.bytes());
  for (std::uint64_t left = std::min(unpacker.number(), kMost); left > 0; --left)
    command.readable.emplace_back(unpacker.bytes());
  if (!unpacker.ended_well() || command.words.empty())
    throw Error(Stop::internal, "cannot start a compiler: its command is damaged");
  return command;
}

Command confined_python(const fs::path& python, const fs::path& folder, const char* script,
                        Talk talk) {
  write_file_atomically(folder / kCommandFile, packed(command_of(python, folder, script)),
                        Sync::no);
  Command command{.program = "/proc/self/exe",
                  .arguments = {"compiler", folder.string()},
                  .environment = variables(folder),
                  .inherits = Inherits::nothing,
                  .directory = "/"};
  if (talk == Talk::by_channels) command.arguments.emplace_back("--talks");
  return command;
}

}  // namespace autokernel::compile
