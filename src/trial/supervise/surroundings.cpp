#include "trial/supervise/surroundings.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/base/sha256.h"

namespace autokernel::trial {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOurProgram = "/proc/self/exe";

// A file as the system tells it from others, for as long as it is not written to. One that is
// running cannot be.
[[nodiscard]] std::string identity_of(const std::string& file) {
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0) return {};
  return fmt::format("{} {} {} {}.{}", status.st_dev, status.st_ino, status.st_size,
                     status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

[[nodiscard]] std::string text_of(const char* file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

[[nodiscard]] std::string folder_of(pid_t process) { return fmt::format("/proc/{}", process); }

// Those lines of /proc/PID/status that a child has from its parent.
[[nodiscard]] std::string inherited_status(pid_t process) {
  constexpr std::array<std::string_view, 14> kKept = {
      "Umask:",        "Uid:",         "Gid:",    "Groups:",  "CapInh:",     "CapPrm:",
      "CapEff:",       "CapBnd:",      "CapAmb:", "Seccomp:", "NoNewPrivs:", "Seccomp_filters:",
      "Cpus_allowed:", "Mems_allowed:"};
  std::ifstream stream(folder_of(process) + "/status");
  std::string kept;
  for (std::string line; std::getline(stream, line);) {
    for (const std::string_view name : kKept) {
      if (line.starts_with(name)) kept += line + "\n";
    }
  }
  return kept;
}

[[nodiscard]] std::string limits(pid_t process) {
  std::string text;
  for (int resource = 0; resource < RLIM_NLIMITS; ++resource) {
    if (resource == RLIMIT_CORE) continue;  // no child of ours has one
    rlimit limit{};
    if (::prlimit(process, static_cast<__rlimit_resource>(resource), nullptr, &limit) != 0) {
      continue;
    }
    text += fmt::format("{} {} {}\n", resource, limit.rlim_cur, limit.rlim_max);
  }
  return text;
}

[[nodiscard]] std::string namespaces(pid_t process) {
  std::string text;
  std::error_code ignored;
  const fs::path folder = folder_of(process);
  for (const char* name : {"cgroup", "ipc", "mnt", "net", "pid", "time", "user", "uts"}) {
    text += fs::read_symlink(folder / "ns" / name, ignored).string() + "\n";
  }
  return text + fs::read_symlink(folder / "root", ignored).string() + "\n";
}

// Whether it has a GPU's device file open, as who has a context there must; also where that cannot
// be seen.
[[nodiscard]] bool may_use_a_gpu(const fs::path& process) {
  std::error_code unseen;
  for (fs::directory_iterator file(process / "fd", unseen), end; !unseen && file != end;
       file.increment(unseen)) {
    std::error_code gone;
    if (fs::read_symlink(file->path(), gone).string().starts_with("/dev/nvidia")) return true;
  }
  return static_cast<bool>(unseen);
}

[[nodiscard]] std::string priority(pid_t process) {
  sched_param parameters{};
  ::sched_getparam(process, &parameters);
  return fmt::format("{} {} {}\n", ::getpriority(PRIO_PROCESS, static_cast<id_t>(process)),
                     ::sched_getscheduler(process), parameters.sched_priority);
}

}  // namespace

std::string digest_of_surroundings(pid_t process) {
  const std::string folder = folder_of(process);
  return sha256(identity_of(folder + "/exe") + "\n" + inherited_status(process) + limits(process) +
                namespaces(process) + priority(process) + text_of((folder + "/cgroup").c_str()) +
                text_of((folder + "/oom_score_adj").c_str()));
}

bool runs_our_program(pid_t process) {
  const std::string theirs = fmt::format("/proc/{}/exe", process);
  const std::string identity = identity_of(theirs);
  if (identity.empty()) return false;
  if (identity == identity_of(kOurProgram)) return true;
  try {
    return sha256_of_file(theirs) == sha256_of_file(kOurProgram);
  } catch (const Error&) {
    return false;
  }
}

std::vector<pid_t> our_runners() {
  std::vector<pid_t> found;
  const std::string ours = identity_of(kOurProgram);
  std::error_code ignored;
  for (fs::directory_iterator entry("/proc", ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    const std::string name = entry->path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    // As cli/runner.cpp and cli/launcher.cpp call themselves, within the 15 bytes that a name has.
    const std::string called = text_of((entry->path() / "comm").c_str());
    if (!called.starts_with("autokernel-run") && !called.starts_with("autokernel-lau")) continue;
    if (identity_of(entry->path() / "exe") == ours && may_use_a_gpu(entry->path()))
      found.push_back(std::stoi(name));
  }
  return found;
}

bool our_program_was_replaced() {
  std::error_code failed;
  const fs::path path = fs::read_symlink(kOurProgram, failed);
  return failed || identity_of(path.string()) != identity_of(kOurProgram);
}

}  // namespace autokernel::trial
