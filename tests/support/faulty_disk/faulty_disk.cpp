// The C library's functions that change files, in front of the C library's own: linked to a test,
// or loaded before everything else into a program (LD_PRELOAD) that has in its environment
//
//   AUTOKERNEL_TEST_DISK=N:EFFECT:FOLDER    see faulty_disk.h; N counts for each process
#include "support/faulty_disk/faulty_disk.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

namespace autokernel::test {

// Shared with the processes that are forked while it is there.
struct DiskState {
  std::atomic<int> changes{0};
  std::atomic<int> failures{0};
  int nth = 0;
  DiskFault fault = DiskFault::once;
  std::array<char, 4096> folder{};
};

namespace {

std::atomic<DiskState*> armed{nullptr};

DiskState* made(int nth, DiskFault fault, std::string_view folder) {
  void* const memory =
      ::mmap(nullptr, sizeof(DiskState), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  auto* const state = new (memory) DiskState;
  state->nth = nth;
  state->fault = fault;
  folder.copy(state->folder.data(), state->folder.size() - 1);
  return state;
}

// What the environment asks for, of a program that this was loaded into.
[[gnu::constructor]] void arm_as_told() {
  const char* text = std::getenv("AUTOKERNEL_TEST_DISK");  // NOLINT(concurrency-mt-unsafe)
  if (text == nullptr) return;
  const std::string_view all = text;
  const std::size_t first = all.find(':');
  const std::size_t second = all.find(':', first + 1);
  if (second == std::string_view::npos) std::abort();  // the test is wrong
  const bool full = all.substr(first + 1, second - first - 1) == "full";
  armed = made(std::atoi(text), full ? DiskFault::full : DiskFault::once, all.substr(second + 1));
}

// What the change needs: a full disk refuses only what takes room.
enum class Takes : std::uint8_t { room, nothing };

[[nodiscard]] bool is_watched(const DiskState& state, std::string_view path) {
  const std::string_view folder = state.folder.data();
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

// The errno that the change fails with; 0: it does not.
[[nodiscard]] int failure_of(DiskState& state, Takes takes) {
  const int change = ++state.changes;
  const bool full = state.fault == DiskFault::full;
  const bool due = full ? change >= state.nth && takes == Takes::room : change == state.nth;
  if (state.nth == 0 || !due) return 0;
  ++state.failures;
  return full ? ENOSPC : EIO;
}

[[nodiscard]] int failure_at(const char* path, Takes takes) {
  DiskState* const state = armed;
  if (state == nullptr || path == nullptr || !is_watched(*state, path)) return 0;
  return failure_of(*state, takes);
}

[[nodiscard]] int failure_at(int descriptor, Takes takes) {
  DiskState* const state = armed;
  if (state == nullptr) return 0;
  std::array<char, 32> link{};
  std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", descriptor);
  std::array<char, 4096> path{};
  const ssize_t length = ::readlink(link.data(), path.data(), path.size() - 1);
  if (length <= 0 || !is_watched(*state, path.data())) return 0;
  return failure_of(*state, takes);
}

template <typename Function>
[[nodiscard]] Function next(Function /*own*/, const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

[[nodiscard]] bool would_change(const char* path, int flags) {
  if ((flags & O_TRUNC) != 0) return true;
  return (flags & O_CREAT) != 0 && ::access(path, F_OK) != 0;
}

}  // namespace

FaultyDisk::FaultyDisk(int nth, DiskFault fault, const std::string& folder)
    : state_(made(nth, fault, folder)) {
  armed = state_;
}

FaultyDisk::~FaultyDisk() {
  armed = nullptr;
  ::munmap(state_, sizeof(DiskState));
}

int FaultyDisk::changes() const { return state_->changes; }
int FaultyDisk::failures() const { return state_->failures; }

}  // namespace autokernel::test

using autokernel::test::failure_at;
using autokernel::test::next;
using autokernel::test::Takes;
using autokernel::test::would_change;

#define AUTOKERNEL_FAIL_IF_DUE(place, takes)                  \
  do {                                                        \
    if (const int number = failure_at(place, Takes::takes)) { \
      errno = number;                                         \
      return -1;                                              \
    }                                                         \
  } while (false)

extern "C" {

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  if (would_change(path, flags)) AUTOKERNEL_FAIL_IF_DUE(path, room);
  return next(&open, "open")(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return open(path, flags, mode);
}

ssize_t write(int file, const void* bytes, size_t count) {
  AUTOKERNEL_FAIL_IF_DUE(file, room);
  return next(&write, "write")(file, bytes, count);
}

ssize_t writev(int file, const iovec* pieces, int count) {
  AUTOKERNEL_FAIL_IF_DUE(file, room);
  return next(&writev, "writev")(file, pieces, count);
}

ssize_t pwrite(int file, const void* bytes, size_t count, off_t at) {
  AUTOKERNEL_FAIL_IF_DUE(file, room);
  return next(&pwrite, "pwrite")(file, bytes, count, at);
}

int ftruncate(int file, off_t size) noexcept {
  AUTOKERNEL_FAIL_IF_DUE(file, nothing);
  return next(&ftruncate, "ftruncate")(file, size);
}

int fsync(int file) {
  AUTOKERNEL_FAIL_IF_DUE(file, room);
  return next(&fsync, "fsync")(file);
}

int rename(const char* from, const char* to) noexcept {
  AUTOKERNEL_FAIL_IF_DUE(to, nothing);
  return next(&rename, "rename")(from, to);
}

int link(const char* from, const char* to) noexcept {
  AUTOKERNEL_FAIL_IF_DUE(to, room);
  return next(&link, "link")(from, to);
}

int mkdir(const char* path, mode_t mode) noexcept {
  AUTOKERNEL_FAIL_IF_DUE(path, room);
  return next(&mkdir, "mkdir")(path, mode);
}

// Not unlink, which libgit2 takes for its lock files: it says nothing of one that it could not
// remove, and the next command names it.
int remove(const char* path) noexcept {
  AUTOKERNEL_FAIL_IF_DUE(path, nothing);
  return next(&remove, "remove")(path);
}

}  // extern "C"
