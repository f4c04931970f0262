#include "autokernel/base/landlock.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include "autokernel/base/descriptor.h"
#include "autokernel/base/system_error.h"

namespace autokernel {
namespace {

constexpr const char* kCompiler = "cannot confine the compiler to its files";
constexpr const char* kKernel = "cannot confine the process in which the kernel runs";

// The version of the kernel's interface, or something below 1 where there is none.
[[nodiscard]] long version() {
  return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

// What a ruleset takes away, in the kernel's layout. Of our own, and with rights by number: the
// headers of a system may be older than its kernel.
struct Handled {
  std::uint64_t files = 0;
  std::uint64_t network = 0;  // from version 4 on
  std::uint64_t scopes = 0;   // from version 6 on
};
[[nodiscard]] std::size_t known_bytes(long version) {
  if (version < 4) return offsetof(Handled, network);
  return version < 6 ? offsetof(Handled, scopes) : sizeof(Handled);
}

constexpr std::uint64_t kIoctl = 1U << 15U;  // of devices, from version 5 on

// Every right the interface knew at that version: a right that is not named is not taken away.
[[nodiscard]] std::uint64_t all_file_rights(long version) {
  constexpr std::uint64_t kFirst = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1U) - 1;
  constexpr std::uint64_t kRefer = 1U << 13U;     // from version 2 on
  constexpr std::uint64_t kTruncate = 1U << 14U;  // 3
  return kFirst | (version >= 2 ? kRefer : 0) | (version >= 3 ? kTruncate : 0) |
         (version >= 5 ? kIoctl : 0);
}

constexpr std::uint64_t kBindTcp = 1U << 0U;
constexpr std::uint64_t kConnectTcp = 1U << 1U;
constexpr std::uint64_t kScopeAbstractSockets = 1U << 0U;
constexpr std::uint64_t kScopeSignals = 1U << 1U;
// From version 8 on: all threads of the process, not the calling one alone.
constexpr std::uint32_t kAllThreads = 1U << 3U;

// Before this was repaired, a thread that was confined could not signal the others of its process.
[[nodiscard]] bool lets_threads_signal_each_other(long version) {
  constexpr std::uint32_t kAskForErrata = 1U << 1U;
  constexpr long kSignalsBetweenThreads = 1U << 1U;
  const long errata = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, kAskForErrata);
  return version >= 8 || (errata > 0 && (errata & kSignalsBetweenThreads) != 0);
}

[[nodiscard]] Descriptor make_rules(const Handled& handled, long version, const char* attempt) {
  Descriptor rules(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &handled, known_bytes(version), 0)));
  if (!rules.is_open()) {
    throw system_failure(Stop::environment, attempt, "landlock_create_ruleset");
  }
  return rules;
}

constexpr std::uint64_t kFolderReading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kWriting = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE;
// Of rights, those that a file has where it is no folder.
constexpr std::uint64_t kOfFiles = LANDLOCK_ACCESS_FS_EXECUTE | kWriting | kIoctl;

void allow(const Descriptor& rules, const std::filesystem::path& below, std::uint64_t rights) {
  const Descriptor folder(::open(below.c_str(), O_PATH | O_CLOEXEC));
  if (!folder.is_open()) return;
  landlock_path_beneath_attr rule{};
  rule.allowed_access = std::filesystem::is_directory(below) ? rights : rights & kOfFiles;
  rule.parent_fd = folder.get();
  if (::syscall(SYS_landlock_add_rule, rules.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) {
    throw system_failure(Stop::environment, kCompiler, "landlock_add_rule");
  }
}

// All that can be taken away.
[[nodiscard]] Handled everything(long version) {
  Handled handled{.files = all_file_rights(version)};
  if (version >= 4) handled.network = kBindTcp | kConnectTcp;
  if (version >= 6) {
    handled.scopes = kScopeAbstractSockets;
    if (lets_threads_signal_each_other(version)) handled.scopes |= kScopeSignals;
  }
  return handled;
}

void put_in_force(const Descriptor& rules, std::uint32_t flags, const char* attempt) {
  // Without it only a privileged thread may confine itself.
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    throw system_failure(Stop::environment, attempt, "prctl");
  }
  if (::syscall(SYS_landlock_restrict_self, rules.get(), flags) != 0) {
    throw system_failure(Stop::environment, attempt, "landlock_restrict_self");
  }
}

}  // namespace

bool has_landlock() { return version() >= 1; }

bool confine_thread_to_reading(std::span<const std::filesystem::path> readable) {
  const long known = version();
  if (known < 1) return false;
  const Descriptor rules = make_rules({.files = all_file_rights(known)}, known, kCompiler);
  for (const std::filesystem::path& path : readable) allow(rules, path, kFolderReading);
  put_in_force(rules, 0, kCompiler);
  return true;
}

bool confine_to_what_is_open() {
  const long known = version();
  if (known < 1) return false;
  put_in_force(make_rules(everything(known), known, kKernel), known >= 8 ? kAllThreads : 0,
               kKernel);
  return true;
}

namespace {

// In the kernel's layout, which older headers do not have.
struct NetworkRule {
  std::uint64_t allowed = 0;
  std::uint64_t port = 0;
};
constexpr int kRuleOfPort = 2;

void allow_listening(const Descriptor& rules, std::uint16_t port) {
  const NetworkRule listening{.allowed = kBindTcp, .port = port};
  if (::syscall(SYS_landlock_add_rule, rules.get(), kRuleOfPort, &listening, 0) != 0)
    throw system_failure(Stop::environment, kCompiler, "landlock_add_rule");
}

}  // namespace

bool confine_to_folders(const FolderRules& left) {
  const long known = version();
  if (known < 1) return false;
  Handled handled = everything(known);
  if (left.has_network) {
    handled.network = 0;
    handled.scopes &= ~kScopeAbstractSockets;
  }
  const Descriptor rules = make_rules(handled, known, kCompiler);
  for (const std::filesystem::path& path : left.readable)
    allow(rules, path, kFolderReading | LANDLOCK_ACCESS_FS_EXECUTE);
  allow(
      rules, left.own,
      handled.files & ~std::uint64_t{LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK});
  allow(rules, "/dev/null", kWriting);
  for (const std::filesystem::path& path : left.devices)
    allow(rules, path, handled.files & (kWriting | kFolderReading | kIoctl));
  if (left.port != 0 && (handled.network & kBindTcp) != 0) allow_listening(rules, left.port);
  put_in_force(rules, 0, kCompiler);
  return true;
}

bool confines_signals() {
  const long known = version();
  return known >= 6 && (everything(known).scopes & kScopeSignals) != 0;
}

}  // namespace autokernel
