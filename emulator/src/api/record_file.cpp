#include "api/record_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <string>

namespace emulator::api {
namespace {

// A write beyond the size limit of a process is answered by a signal that ends it. The program has
// not made this write, so it must not see the signal.
class WithoutSizeSignal {
 public:
  WithoutSizeSignal() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  WithoutSizeSignal(const WithoutSizeSignal&) = delete;
  WithoutSizeSignal& operator=(const WithoutSizeSignal&) = delete;
  ~WithoutSizeSignal() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  void take_pending() const {
    if (sigismember(&before_, SIGXFSZ) == 1) return;  // it was the program's to take
    const std::timespec at_once{};
    (void)sigtimedwait(&signal_, nullptr, &at_once);
  }

 private:
  sigset_t signal_{};
  sigset_t before_{};
};

constexpr int kMostFilesOfAProcess = 100;
constexpr mode_t kMode = 0600;

}  // namespace

RecordFile::RecordFile(std::string_view folder) {
  for (int number = 1; number <= kMostFilesOfAProcess && file_ < 0; ++number) {
    const std::string which = number == 1 ? "" : fmt::format(".{}", number);
    const std::string path = fmt::format("{}/{}{}-emulated.record", folder, getpid(), which);
    file_ = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, kMode);
    if (file_ < 0 && errno != EEXIST) return;
  }
}

RecordFile::~RecordFile() {
  if (file_ >= 0) close(file_);
}

void RecordFile::put(std::string_view lines) {
  if (file_ < 0) return;
  if (write_all(lines)) {
    size_ += static_cast<off_t>(lines.size());
    return;
  }
  constexpr std::string_view kWarning =
      "W\tthe recording stopped before the program did, since its file could not be written: make "
      "room where the record is kept, and run it again\n";
  if (ftruncate(file_, size_) != 0 || !write_all(kWarning)) (void)!ftruncate(file_, size_);
  close(file_);
  file_ = -1;
}

bool RecordFile::write_all(std::string_view lines) const {
  const WithoutSizeSignal without_signal;
  while (!lines.empty()) {
    const ssize_t count = write(file_, lines.data(), lines.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      if (errno == EFBIG) without_signal.take_pending();
      return false;
    }
    lines.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace emulator::api
