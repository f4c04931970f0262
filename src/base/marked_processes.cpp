#include "autokernel/base/marked_processes.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>
#include <thread>

#include "autokernel/base/process_tree.h"

namespace autokernel {
namespace {

namespace fs = std::filesystem;

// As long as a process may take to become another program: on a machine that is busy, longer than a
// few milliseconds only if it is starved.
constexpr std::chrono::seconds kLongestStart{1};

// A list of texts, each ended by a zero byte.
[[nodiscard]] bool is_among(std::string_view all, std::string_view variable) {
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = std::min(all.find('\0', begin), all.size());
    if (all.substr(begin, end - begin) == variable) return true;
    begin = end + 1;
  }
  return false;
}

struct Found {
  std::vector<pid_t> marked;
  // Whether there are processes without an environment: while one becomes another program it has
  // none, whatever it had and will have.
  bool some_unknown = false;
};

[[nodiscard]] Found look_for(std::string_view variable) {
  Found found;
  std::error_code ignored;
  for (fs::directory_iterator entry("/proc", ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry->path() / "environ", std::ios::binary);
    const std::string environment{std::istreambuf_iterator<char>(file), {}};
    if (is_among(environment, variable)) {
      found.marked.push_back(std::stoi(name));
    } else if (environment.empty()) {
      // Threads of the kernel, what has ended, and others' processes have no program to be seen.
      std::error_code none;
      const fs::path program = fs::read_symlink(entry->path() / "exe", none);
      found.some_unknown = found.some_unknown || !program.empty();
    }
  }
  return found;
}

[[nodiscard]] std::set<pid_t> ourselves_and_ancestors() {
  std::set<pid_t> line;
  for (pid_t process = ::getpid(); process > 0 && line.insert(process).second;) {
    process = parent_of(process);
  }
  return line;
}

}  // namespace

std::vector<pid_t> processes_with(const std::string& variable) { return look_for(variable).marked; }

EndedProcesses kill_processes_with(const std::string& variable) {
  const std::set<pid_t> spared = ourselves_and_ancestors();
  const auto begin = std::chrono::steady_clock::now();
  std::set<pid_t> killed;
  // One may have been born since the list was read: so until none is left.
  for (;;) {
    EndedProcesses outcome;
    const auto elapsed = std::chrono::steady_clock::now() - begin;
    const Found found = look_for(variable);
    bool all_gone = !found.some_unknown || elapsed >= kLongestStart;
    for (const pid_t process : found.marked) {
      if (process == ::getpid()) continue;
      outcome.left.push_back(process);
      if (spared.contains(process)) continue;
      all_gone = false;
      ::kill(process, SIGKILL);
      killed.insert(process);
    }
    if (all_gone || elapsed >= kLongestEnd) {
      for (const pid_t process : outcome.left) killed.erase(process);
      outcome.ended = static_cast<int>(killed.size());
      return outcome;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
}

}  // namespace autokernel
