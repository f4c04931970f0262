#include "autokernel/base/process_tree.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "autokernel/base/system_error.h"

namespace autokernel {
namespace {

namespace fs = std::filesystem;

// Of /proc/PID/status, in KiB: what is resident is the least of what a process can take. What was
// swapped out, pages of a size that the system sets aside, and the tables that say where pages are
// (4 KiB for each 2 MiB of addresses, whatever lies there) are taken from others as well.
constexpr std::array<std::string_view, 4> kMemory = {
    "VmRSS:", "VmSwap:", "HugetlbPages:", "VmPTE:"};
// The kernel's own stack for a thread, and what it notes of it.
constexpr std::uint64_t kKibibytesOfAThread = 32;

[[nodiscard]] fs::path folder_of(pid_t process) {
  return fs::path("/proc") / std::to_string(process);
}

// The system's own list, by thread; only the threads of one process are looked at, however busy the
// machine is.
[[nodiscard]] std::vector<pid_t> listed_children(pid_t parent) {
  std::vector<pid_t> children;
  std::error_code gone;
  for (fs::directory_iterator task(folder_of(parent) / "task", gone), end; !gone && task != end;
       task.increment(gone)) {
    std::ifstream list(task->path() / "children");
    for (pid_t child = 0; list >> child;) children.push_back(child);
  }
  return children;
}

// What /proc/PID/stat says behind the name: "state parent ...". The name may hold blanks and
// brackets, so the rest is found from its last bracket.
[[nodiscard]] std::istringstream behind_name(const fs::path& folder) {
  std::ifstream file(folder / "stat");
  std::string line;
  std::getline(file, line);
  const std::size_t bracket = line.rfind(')');
  return std::istringstream(bracket == std::string::npos ? "" : line.substr(bracket + 1));
}

[[nodiscard]] pid_t parent_in(const fs::path& folder) {
  std::istringstream rest = behind_name(folder);
  char state = 0;
  pid_t parent = 0;
  rest >> state >> parent;
  return parent;
}

// For kernels built without that list: every process of the machine is asked for its parent.
[[nodiscard]] std::vector<pid_t> searched_children(pid_t parent) {
  std::vector<pid_t> children;
  std::error_code ignored;
  for (fs::directory_iterator entry("/proc", ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (parent_in(entry->path()) == parent) children.push_back(std::stoi(name));
  }
  return children;
}

[[nodiscard]] bool system_lists_children() {
  const fs::path self = folder_of(::getpid()) / "task" / std::to_string(::getpid()) / "children";
  std::error_code ignored;
  return fs::exists(self, ignored);
}

[[nodiscard]] std::vector<pid_t> with_descendants(std::vector<pid_t> found) {
  // The list grows under the loop: each one found is asked for its children in turn.
  for (std::size_t next = 0; next < found.size(); ++next) {
    for (const pid_t child : children_of(found[next])) found.push_back(child);
  }
  return found;
}

[[nodiscard]] std::vector<pid_t> descendants_except(const std::set<pid_t>& spared) {
  std::vector<pid_t> found;
  for (const pid_t child : children_of(::getpid())) {
    if (!spared.contains(child)) found.push_back(child);
  }
  return with_descendants(std::move(found));
}

int kill_descendants_except(const std::set<pid_t>& spared) {
  const auto deadline = std::chrono::steady_clock::now() + kLongestEnd;
  std::set<pid_t> killed;
  // A process killed hands its children to us, and one may have been born since the list was read:
  // so until none is left.
  for (;;) {
    const std::vector<pid_t> left = descendants_except(spared);
    if (left.empty() || std::chrono::steady_clock::now() >= deadline) {
      return static_cast<int>(killed.size());
    }
    for (const pid_t process : left) {
      ::kill(process, SIGKILL);
      killed.insert(process);
    }
    for (const pid_t process : left) ::waitpid(process, nullptr, WNOHANG);
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
}

}  // namespace

std::vector<pid_t> children_of(pid_t parent) {
  return system_lists_children() ? listed_children(parent) : searched_children(parent);
}

pid_t parent_of(pid_t process) { return parent_in(folder_of(process)); }

namespace {

// 'R', 'S', 'T', ...; 'X' for one that is gone.
[[nodiscard]] char state_of(pid_t process) {
  std::istringstream rest = behind_name(folder_of(process));
  char state = 'X';
  rest >> state;
  return state;
}

// Stopped, or ended.
[[nodiscard]] bool stands_still(pid_t process) {
  const char state = state_of(process);
  return state == 'T' || state == 'Z' || state == 'X';
}

}  // namespace

bool is_alive(pid_t process) {
  const char state = state_of(process);
  return state != 'Z' && state != 'X';
}

std::uint64_t held_bytes(pid_t process) {
  std::ifstream file(folder_of(process) / "status");
  std::uint64_t kibibytes = 0;
  for (std::string name, rest; file >> name; std::getline(file, rest)) {
    std::uint64_t value = 0;
    const bool is_memory = std::ranges::find(kMemory, name) != kMemory.end();
    if (is_memory && file >> value) kibibytes += value;
    if (name == "Threads:" && file >> value) kibibytes += value * kKibibytesOfAThread;
  }
  return kibibytes << 10U;
}

double processor_seconds(pid_t process) {
  // utime and stime are the 12th and the 13th word behind the name (proc(5)), in clock ticks.
  constexpr int kBefore = 11;
  std::istringstream rest = behind_name(folder_of(process));
  std::string word;
  for (int i = 0; i < kBefore; ++i) rest >> word;
  std::uint64_t user = 0;
  std::uint64_t system = 0;
  rest >> user >> system;
  return rest ? static_cast<double>(user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK))
              : 0;
}

ProcessTree::ProcessTree() {
  Before before{.children = {}, .adopting = false, .known = true};
  for (const pid_t child : children_of(::getpid())) before.children.insert(child);
  int adopting = 0;
  if (::prctl(PR_GET_CHILD_SUBREAPER, &adopting) != 0 || ::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
    throw system_failure(Stop::environment, "cannot keep hold of child processes", "prctl");
  }
  before.adopting = adopting != 0;
  before_ = {std::move(before), end};
}

void ProcessTree::end(const Before& before) {
  kill_descendants_except(before.children);
  ::prctl(PR_SET_CHILD_SUBREAPER, before.adopting ? 1 : 0);
}

void ProcessTree::spare(pid_t child) {
  Before before = before_.release();
  before.children.insert(child);
  before.adopting = true;
  before_ = {std::move(before), end};
}

std::set<pid_t> ProcessTree::strangers() const {
  std::set<pid_t> children = before_.get().children;
  children.insert(aside_.begin(), aside_.end());
  return children;
}

std::vector<pid_t> ProcessTree::members() const {
  std::vector<pid_t> found = descendants_except(strangers());
  if (guest_ != 0) {
    const std::vector<pid_t> guests = with_descendants({guest_});
    found.insert(found.end(), guests.begin(), guests.end());
  }
  return found;
}

std::uint64_t ProcessTree::held_bytes() const {
  std::uint64_t sum = 0;
  for (const pid_t process : members()) sum += autokernel::held_bytes(process);
  return sum;
}

double ProcessTree::processor_seconds() const {
  double sum = 0;
  for (const pid_t process : members()) sum += autokernel::processor_seconds(process);
  return sum;
}

std::vector<pid_t> ProcessTree::pause() {
  const auto deadline = std::chrono::steady_clock::now() + kLongestEnd;
  std::set<pid_t> paused;
  // One may have been born since the list was read: so until all stand still.
  for (bool all_stand = false; !all_stand && std::chrono::steady_clock::now() < deadline;) {
    all_stand = true;
    for (const pid_t process : members()) {
      paused.insert(process);
      if (stands_still(process)) continue;
      all_stand = false;
      ::kill(process, SIGSTOP);
    }
    if (!all_stand) std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  for (const pid_t process : paused) {
    if (parent_of(process) == ::getpid()) aside_.insert(process);
  }
  return {paused.begin(), paused.end()};
}

void ProcessTree::resume(const std::vector<pid_t>& paused) {
  for (const pid_t process : paused) {
    aside_.erase(process);
    ::kill(process, SIGCONT);
  }
}

int ProcessTree::kill_all() const { return kill_descendants_except(strangers()); }

}  // namespace autokernel
