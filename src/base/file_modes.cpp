#include "autokernel/base/file_modes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "autokernel/base/owned.h"
#include "autokernel/base/system_error.h"

namespace autokernel {
namespace {

namespace fs = std::filesystem;

// No file becomes one that runs as somebody else.
constexpr mode_t kPlainModes = 0777;
constexpr std::uint64_t kPage = 4096;

// Of another process's memory; none where not all of it can be read.
[[nodiscard]] bool read_memory(pid_t process, std::uint64_t address, void* to, std::size_t bytes) {
  const iovec local{.iov_base = to, .iov_len = bytes};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of another process
  const iovec remote{.iov_base = reinterpret_cast<void*>(address), .iov_len = bytes};
  return ::process_vm_readv(process, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
}

[[nodiscard]] std::optional<std::string> read_path(pid_t process, std::uint64_t address) {
  std::string path;
  while (path.size() < PATH_MAX) {
    // Up to the end of the page: the next one may not be there.
    std::array<char, kPage> piece{};
    const std::size_t bytes = kPage - (address + path.size()) % kPage;
    if (!read_memory(process, address + path.size(), piece.data(), bytes)) return std::nullopt;
    const std::string_view text(piece.data(), bytes);
    const std::size_t end = text.find('\0');
    path += text.substr(0, end);
    if (end != std::string_view::npos) return path;
  }
  return std::nullopt;
}

}  // namespace

struct FileModes::WaitingCall {
  pid_t process = 0;
  int number = 0;
  std::array<std::uint64_t, 6> arguments{};

  [[nodiscard]] int descriptor(std::size_t i) const { return static_cast<int>(arguments.at(i)); }
};

namespace {

using WaitingCall = FileModes::WaitingCall;

[[nodiscard]] fs::path link_target(const std::string& link) {
  std::error_code failed;
  return fs::read_symlink(link, failed);
}

// The path that is meant by a folder's descriptor and a name; empty where it cannot be read.
[[nodiscard]] fs::path path_at(const WaitingCall& call, int folder, std::uint64_t name) {
  const auto text = read_path(call.process, name);
  if (!text || text->empty()) return {};
  if (text->starts_with('/')) return *text;
  const std::string place = folder == AT_FDCWD
                                ? fmt::format("/proc/{}/cwd", call.process)
                                : fmt::format("/proc/{}/fd/{}", call.process, folder);
  const fs::path base = link_target(place);
  return base.empty() ? fs::path() : base / *text;
}

[[nodiscard]] fs::path path_of(const WaitingCall& call, int descriptor) {
  return link_target(fmt::format("/proc/{}/fd/{}", call.process, descriptor));
}

[[nodiscard]] int change_mode(const Descriptor& file, std::uint64_t mode) {
  // What was opened as a path alone has its mode changed by its name in /proc.
  const std::string name = fmt::format("/proc/self/fd/{}", file.get());
  return ::chmod(name.c_str(), static_cast<mode_t>(mode) & kPlainModes) == 0 ? 0 : errno;
}

[[nodiscard]] int change_times(const WaitingCall& call, const Descriptor& file,
                               std::uint64_t address) {
  std::array<timespec, 2> times{};
  const bool is_now = address == 0;
  if (!is_now && !read_memory(call.process, address, times.data(), sizeof times)) return EFAULT;
  const std::string name = fmt::format("/proc/self/fd/{}", file.get());
  return ::utimensat(AT_FDCWD, name.c_str(), is_now ? nullptr : times.data(), 0) == 0 ? 0 : errno;
}

// Which file a call means.
[[nodiscard]] fs::path file_of(const WaitingCall& call) {
  switch (call.number) {
    case __NR_chmod:
      return path_at(call, AT_FDCWD, call.arguments[0]);
    case __NR_fchmodat:
      return path_at(call, call.descriptor(0), call.arguments[1]);
    case __NR_fchmod:
      return path_of(call, call.descriptor(0));
    case __NR_utimensat:
      return call.arguments[1] == 0 ? path_of(call, call.descriptor(0))
                                    : path_at(call, call.descriptor(0), call.arguments[1]);
    default:
      return {};
  }
}

[[nodiscard]] int carry_out(const WaitingCall& call, const Descriptor& file) {
  switch (call.number) {
    case __NR_chmod:
    case __NR_fchmod:
      return change_mode(file, call.arguments[1]);
    case __NR_fchmodat:
      return change_mode(file, call.arguments[2]);
    case __NR_utimensat:
      return change_times(call, file, call.arguments[2]);
    default:
      return EPERM;
  }
}

// What a process may know of itself, below its own folder in /proc.
constexpr std::array<std::string_view, 6> kReadOfItself = {"maps",  "status",  "stat",
                                                           "statm", "cmdline", "limits"};

// "task/480/comm".
[[nodiscard]] bool is_name_of_thread(std::string_view below) {
  constexpr std::string_view kBefore = "task/";
  constexpr std::string_view kBehind = "/comm";
  if (!below.starts_with(kBefore) || !below.ends_with(kBehind)) return false;
  below.remove_prefix(kBefore.size());
  below.remove_suffix(std::min(below.size(), kBehind.size()));
  return !below.empty() && below.find_first_not_of("0123456789") == std::string_view::npos;
}

// How a file of the process's own in /proc is opened for it; none: it is no such file.
struct OwnFile {
  std::string below;  // its folder
  int flags = O_RDONLY;
};
[[nodiscard]] std::optional<OwnFile> own_file(const WaitingCall& call) {
  constexpr std::string_view kSelf = "/proc/self/";
  // Most paths end before that, or differ at the first letters.
  const std::string path = read_path(call.process, call.arguments[1]).value_or("");
  if (!path.starts_with(kSelf)) return std::nullopt;
  const std::string below = path.substr(kSelf.size());
  const auto access = static_cast<int>(call.arguments[2]) & O_ACCMODE;
  if (access == O_RDONLY && std::ranges::find(kReadOfItself, below) != kReadOfItself.end())
    return OwnFile{.below = below};
  if (access == O_WRONLY && is_name_of_thread(below))
    return OwnFile{.below = below, .flags = O_WRONLY};
  return std::nullopt;
}

// Opens for a process what is its own in /proc; any other call for a file is the kernel's to
// answer. Whether this one was answered.
[[nodiscard]] bool opens_own_file(const WaitingCall& call, const Descriptor& listener,
                                  std::uint64_t id) {
  const auto own = own_file(call);
  if (!own) return false;
  // A thread that is not its own has no folder there.
  const std::string file = fmt::format("/proc/{}/{}", call.process, own->below);
  const Descriptor opened(::open(file.c_str(), own->flags | O_CLOEXEC));
  if (!opened.is_open() || ::seccomp_notify_id_valid(listener.get(), id) != 0) return false;
  seccomp_notif_addfd given{};
  given.id = id;
  given.flags = SECCOMP_ADDFD_FLAG_SEND;
  given.srcfd = static_cast<std::uint32_t>(opened.get());
  given.newfd_flags = static_cast<std::uint32_t>(call.arguments[2]) & O_CLOEXEC;
  return ::ioctl(listener.get(), SECCOMP_IOCTL_NOTIF_ADDFD, &given) >= 0;
}

}  // namespace

FileModes::FileModes(Descriptor listener, const fs::path& own)
    : listener_(std::move(listener)),
      own_(::open(own.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)),
      folder_(fs::canonical(own)) {
  if (!own_.is_open())
    throw system_failure(Stop::environment, "cannot open " + own.string(), "open");
}

int FileModes::error_of(const WaitingCall& call, std::uint64_t id) const {
  const fs::path path = file_of(call).lexically_normal().lexically_relative(folder_);
  if (path.empty() || ::seccomp_notify_id_valid(listener_.get(), id) != 0) return EPERM;
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  const Descriptor file(
      static_cast<int>(::syscall(SYS_openat2, own_.get(), path.c_str(), &how, sizeof how)));
  // Beside the folder is EXDEV to the kernel, which would say more than EPERM.
  const int failure = errno == EXDEV ? EPERM : errno;
  return file.is_open() ? carry_out(call, file) : failure;
}

void FileModes::answer() const {
  for (;;) {
    pollfd waiting{listener_.get(), POLLIN, 0};
    if (::poll(&waiting, 1, 0) <= 0 || (waiting.revents & POLLIN) == 0) return;
    seccomp_notif* asked = nullptr;
    seccomp_notif_resp* reply = nullptr;
    if (::seccomp_notify_alloc(&asked, &reply) != 0) return;
    const Owned<seccomp_notif*> owned_asked(asked,
                                            [](auto* it) { ::seccomp_notify_free(it, nullptr); });
    const Owned<seccomp_notif_resp*> owned_reply(
        reply, [](auto* it) { ::seccomp_notify_free(nullptr, it); });
    // Whoever asked may have been killed meanwhile.
    if (::seccomp_notify_receive(listener_.get(), asked) != 0) return;
    WaitingCall call{.process = static_cast<pid_t>(asked->pid), .number = asked->data.nr};
    for (std::size_t i = 0; i < call.arguments.size(); ++i)
      call.arguments.at(i) = asked->data.args[i];
    reply->id = asked->id;
    reply->val = 0;
    reply->error = 0;
    reply->flags = 0;
    if (call.number != __NR_openat) {
      reply->error = -error_of(call, asked->id);
    } else if (opens_own_file(call, listener_, asked->id)) {
      continue;
    } else {
      reply->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    }
    static_cast<void>(::seccomp_notify_respond(listener_.get(), reply));
  }
}

}  // namespace autokernel
