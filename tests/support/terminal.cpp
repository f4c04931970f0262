#include "support/terminal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace autokernel::test {

Terminal::Terminal() : our_end_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
  std::array<char, 64> name{};
  if (!our_end_.is_open() || ::grantpt(our_end_.get()) != 0 || ::unlockpt(our_end_.get()) != 0 ||
      ::ptsname_r(our_end_.get(), name.data(), name.size()) != 0) {
    throw std::runtime_error("cannot make a terminal");
  }
  program_end_ = Descriptor(::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!program_end_.is_open()) throw std::runtime_error("cannot open the terminal");
  set_nonblocking(our_end_);
}

std::string Terminal::painted() {
  std::array<char, 4096> piece{};
  for (;;) {
    const ssize_t count = ::read(our_end_.get(), piece.data(), piece.size());
    if (count <= 0) return painted_;
    painted_.append(piece.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace autokernel::test
