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

// As long as a killed process may take to go: longer only where one hangs in the kernel.
constexpr std::chrono::seconds kLongestEnd{5};

// A list of texts, each ended by a zero byte; empty for a process that has ended.
[[nodiscard]] bool is_in_environment(const fs::path& process, std::string_view variable) {
  std::ifstream file(process / "environ", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = std::min(all.find('\0', begin), all.size());
    if (std::string_view(all).substr(begin, end - begin) == variable) return true;
    begin = end + 1;
  }
  return false;
}

[[nodiscard]] std::set<pid_t> ourselves_and_ancestors() {
  std::set<pid_t> line;
  for (pid_t process = ::getpid(); process > 0 && line.insert(process).second;) {
    process = parent_of(process);
  }
  return line;
}

}  // namespace

std::vector<pid_t> processes_with(const std::string& variable) {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (fs::directory_iterator entry("/proc", ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (is_in_environment(entry->path(), variable)) found.push_back(std::stoi(name));
  }
  return found;
}

EndedProcesses kill_processes_with(const std::string& variable) {
  const std::set<pid_t> spared = ourselves_and_ancestors();
  const auto deadline = std::chrono::steady_clock::now() + kLongestEnd;
  std::set<pid_t> killed;
  // One may have been born since the list was read: so until none is left.
  for (;;) {
    EndedProcesses outcome;
    bool all_gone = true;
    for (const pid_t process : processes_with(variable)) {
      if (process == ::getpid()) continue;
      outcome.left.push_back(process);
      if (spared.contains(process)) continue;
      all_gone = false;
      ::kill(process, SIGKILL);
      killed.insert(process);
    }
    if (all_gone || std::chrono::steady_clock::now() >= deadline) {
      for (const pid_t process : outcome.left) killed.erase(process);
      outcome.ended = static_cast<int>(killed.size());
      return outcome;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
}

}  // namespace autokernel
