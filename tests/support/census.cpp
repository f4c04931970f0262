#include "support/census.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;

[[nodiscard]] bool is_marked(const fs::path& process, const std::string& marker) {
  std::ifstream file(process / "environ", std::ios::binary);
  const std::string environment{std::istreambuf_iterator<char>(file), {}};
  if (environment.find(marker) != std::string::npos) return true;
  std::error_code gone;
  const fs::path folder = fs::read_symlink(process / "cwd", gone);
  return !gone && folder.string().find(marker) != std::string::npos;
}

}  // namespace

std::vector<pid_t> processes_marked(const std::string& marker) {
  std::vector<pid_t> marked;
  std::error_code ignored;
  for (fs::directory_iterator entry("/proc", ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const pid_t process = std::stoi(name);
    if (process != ::getpid() && is_marked(entry->path(), marker)) marked.push_back(process);
  }
  return marked;
}

pid_t process_named(const std::string& name, const std::string& marker) {
  for (const pid_t process : processes_marked(marker)) {
    std::ifstream listed(fs::path("/proc") / std::to_string(process) / "comm");
    std::string found;
    if (std::getline(listed, found) && found.starts_with(name)) return process;
  }
  return 0;
}

bool signal_process(pid_t process, int signal) {
  return process > 0 && ::kill(process, signal) == 0;
}

std::vector<pid_t> processes_still_marked(const std::string& marker) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{2};
  std::vector<pid_t> marked = processes_marked(marker);
  while (!marked.empty() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
    marked = processes_marked(marker);
  }
  return marked;
}

std::vector<std::string> files_below(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    names.push_back(fs::relative(entry.path(), folder).string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace autokernel::test
