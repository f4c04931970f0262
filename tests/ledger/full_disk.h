// A disk that is full, as far as this process can tell.
#pragma once

#include <sys/resource.h>

#include <csignal>
#include <cstdint>
#include <stdexcept>

namespace autokernel::test {

// While it lives, no file of this process grows beyond `bytes`: a write gets what fits, the next
// one EFBIG.
class FullDisk {
 public:
  explicit FullDisk(std::uint64_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    if (::getrlimit(RLIMIT_FSIZE, &before_) != 0) throw std::runtime_error("no getrlimit");
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) throw std::runtime_error("no setrlimit");
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  FullDisk(FullDisk&&) = delete;
  FullDisk& operator=(FullDisk&&) = delete;
  ~FullDisk() {
    static_cast<void>(::setrlimit(RLIMIT_FSIZE, &before_));
    static_cast<void>(std::signal(SIGXFSZ, handler_));
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

}  // namespace autokernel::test
