#include "record_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "line.h"

namespace recording {
namespace {

// A process that replaces itself (exec) is another one with the same number, as is one that gets
// the number of one that has ended: each has a file of its own.
constexpr int kMostFilesOfAProcess = 100;
constexpr std::size_t kMostOfCommand = 4000;

// The arguments, separated by spaces.
std::string_view command_line(std::span<char> room) {
  const int file = ::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t count = ::read(file, room.data(), room.size());
  ::close(file);
  auto size = static_cast<std::size_t>(count > 0 ? count : 0);
  while (size > 0 && room[size - 1] == '\0') --size;
  for (char& byte : room.subspan(0, size)) {
    if (byte == '\0') byte = ' ';
  }
  return {room.data(), size};
}

const char* reason(int error) {
  switch (error) {
    case ENOSPC:
      return "the disk is full";
    case EDQUOT:
      return "the quota of the disk is used up";
    case EFBIG:
      return "the file has reached the size limit of the process";
    default:
      return "the disk reports an error";
  }
}

// A write beyond the size limit of a process is answered by a signal that ends it. The program has
// not made this write, so it must not see the signal.
class WithoutSizeSignal {
 public:
  WithoutSizeSignal() {
    ::sigemptyset(&signal_);
    ::sigaddset(&signal_, SIGXFSZ);
    ::pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  WithoutSizeSignal(const WithoutSizeSignal&) = delete;
  WithoutSizeSignal& operator=(const WithoutSizeSignal&) = delete;
  WithoutSizeSignal(WithoutSizeSignal&&) = delete;
  WithoutSizeSignal& operator=(WithoutSizeSignal&&) = delete;
  ~WithoutSizeSignal() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  void take_pending() const {
    if (::sigismember(&before_, SIGXFSZ) == 1) return;  // it was the program's to take
    const std::timespec at_once{};
    (void)::sigtimedwait(&signal_, nullptr, &at_once);
  }

 private:
  sigset_t signal_{};
  sigset_t before_{};
};

}  // namespace

RecordFile::RecordFile(const char* folder, const char* kind, const char* writer)
    : folder_(folder), kind_(kind) {
  set_writer(writer);
}

void RecordFile::set_writer(const char* writer) {
  const Locked held{lock_};
  if (held) (void)std::snprintf(writer_.data(), writer_.size(), "%s", writer);
}

void RecordFile::write(std::string_view lines) {
  const Locked held{lock_};
  if (held) write_held(lines);
}

void RecordFile::end(std::string_view lines) {
  const Locked held{lock_};
  if (!held) return;
  // A file is not made for its end.
  if (state_ == State::open) write_held(lines);
  if (state_ == State::open) ::close(file_);
  state_ = State::over;
}

void RecordFile::abandon() {
  if (state_ == State::open && still_ours()) ::close(file_);
  state_ = State::over;
}

void RecordFile::write_held(std::string_view lines) {
  if (lines.empty() || state_ == State::over) return;
  if (state_ == State::not_begun && !open()) {
    state_ = State::over;
    return;
  }
  if (!still_ours() && !open_again()) {
    state_ = State::over;
    return;
  }
  const int error = put(lines);
  if (error != 0) {
    give_up(error);
    return;
  }
  before_last_ = size_;
  size_ += static_cast<off_t>(lines.size());
}

bool RecordFile::open() {
  const auto process = static_cast<int>(::getpid());
  for (int number = 1; number < kMostFilesOfAProcess && file_ < 0; ++number) {
    const int size = number == 1 ? std::snprintf(path_.data(), path_.size(), "%s/%d-%s.record",
                                                 folder_, process, kind_)
                                 : std::snprintf(path_.data(), path_.size(), "%s/%d.%d-%s.record",
                                                 folder_, process, number, kind_);
    if (size < 0 || static_cast<std::size_t>(size) >= path_.size()) return false;
    constexpr mode_t kMode = 0644;
    file_ = ::open(path_.data(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, kMode);
    if (file_ < 0 && errno != EEXIST) return false;
  }
  struct stat status{};
  if (file_ < 0 || ::fstat(file_, &status) != 0) return false;
  device_ = status.st_dev;
  inode_ = status.st_ino;
  state_ = State::open;

  std::array<char, 2 * kMostOfCommand> room{};
  std::array<char, kMostOfCommand> command{};
  const int head = std::snprintf(room.data(), room.size(), "autokernel-profile\t1\t%s\t%d\t%d\n",
                                 writer_.data(), process, static_cast<int>(::getppid()));
  const auto header = static_cast<std::size_t>(head);
  Line line{std::span{room}.subspan(header), 'P'};
  const std::size_t whole = header + line.text(command_line(command)).done().size();
  const int error = put({room.data(), whole});
  if (error != 0) {
    give_up(error);
    return false;
  }
  size_ = first_ = before_last_ = static_cast<off_t>(whole);
  return true;
}

// A program may close every descriptor it does not know, and open files of its own under their
// numbers: what is written there would end up in those.
bool RecordFile::still_ours() const {
  struct stat status{};
  return ::fstat(file_, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

bool RecordFile::open_again() {
  file_ = ::open(path_.data(), O_WRONLY | O_APPEND | O_CLOEXEC);
  return file_ >= 0 && still_ours();
}

// 0, or the error.
int RecordFile::put(std::string_view bytes) const {
  const WithoutSizeSignal without_signal;
  while (!bytes.empty()) {
    const ssize_t count = ::write(file_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      const int error = count < 0 ? errno : EIO;
      if (error == EFBIG) without_signal.take_pending();
      return error;
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

// Says so in the file. Where there is no room for that either, what was written last makes room.
void RecordFile::give_up(int error) {
  std::array<char, 512> room{};
  std::array<char, 400> text{};
  (void)std::snprintf(text.data(), text.size(),
                      "the recording stopped before the program did, since %s: make room where the "
                      "record is kept, and run it again",
                      reason(error));
  Line line{room, 'W'};
  const std::string_view warning = line.text(text.data()).done();
  const bool said = ::ftruncate(file_, size_) == 0 && put(warning) == 0;
  if (!said && before_last_ >= first_ && ::ftruncate(file_, before_last_) == 0 &&
      put(warning) != 0) {
    (void)!::ftruncate(file_, before_last_);
  }
  ::close(file_);
  state_ = State::over;
}

}  // namespace recording
