#include "autokernel/base/landlock.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "autokernel/base/descriptor.h"
#include "autokernel/base/system_error.h"

namespace autokernel {
namespace {

constexpr const char* kAttempt = "cannot confine the compiler to CUDA's files";

// The version of the kernel's interface, or something below 1 where there is none.
[[nodiscard]] long version() {
  return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

// Every right the interface knew at that version: a right that is not named is not taken away.
[[nodiscard]] std::uint64_t all_rights(long version) {
  constexpr std::uint64_t kFirst = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1U) - 1;
  // Named by number: the headers of a system may be older than its kernel.
  constexpr std::uint64_t kRefer = 1U << 13U;     // from version 2 on
  constexpr std::uint64_t kTruncate = 1U << 14U;  // 3
  constexpr std::uint64_t kIoctl = 1U << 15U;     // 5
  return kFirst | (version >= 2 ? kRefer : 0) | (version >= 3 ? kTruncate : 0) |
         (version >= 5 ? kIoctl : 0);
}

void allow_reading(const Descriptor& rules, const std::filesystem::path& below) {
  const Descriptor folder(::open(below.c_str(), O_PATH | O_CLOEXEC));
  if (!folder.is_open()) return;
  landlock_path_beneath_attr rule{};
  rule.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
  if (!std::filesystem::is_directory(below)) rule.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE;
  rule.parent_fd = folder.get();
  if (::syscall(SYS_landlock_add_rule, rules.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) {
    throw system_failure(Stop::environment, kAttempt, "landlock_add_rule");
  }
}

}  // namespace

bool has_landlock() { return version() >= 1; }

bool confine_thread_to_reading(std::span<const std::filesystem::path> readable) {
  if (!has_landlock()) return false;
  landlock_ruleset_attr everything{};
  everything.handled_access_fs = all_rights(version());
  const Descriptor rules(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &everything,
                                                    sizeof(everything.handled_access_fs), 0)));
  if (!rules.is_open()) {
    throw system_failure(Stop::environment, kAttempt, "landlock_create_ruleset");
  }
  for (const std::filesystem::path& path : readable) allow_reading(rules, path);
  // Without it only a privileged thread may confine itself.
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    throw system_failure(Stop::environment, kAttempt, "prctl");
  }
  if (::syscall(SYS_landlock_restrict_self, rules.get(), 0) != 0) {
    throw system_failure(Stop::environment, kAttempt, "landlock_restrict_self");
  }
  return true;
}

}  // namespace autokernel
