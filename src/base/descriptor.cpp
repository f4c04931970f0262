#include "autokernel/base/descriptor.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "autokernel/base/system_error.h"

namespace autokernel {

// A close that fails has still given the descriptor back; data that must not be lost is synced
// before.
Descriptor::Descriptor(int number)
    : number_({number}, [](DescriptorNumber n) { ::close(n.value); }) {}

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw system_failure(Stop::environment, "cannot make a pipe", "pipe2");
  }
  return {.reading = Descriptor(ends[0]), .writing = Descriptor(ends[1])};
}

Pipe make_socket_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw system_failure(Stop::environment, "cannot make a pair of sockets", "socketpair");
  }
  return {.reading = Descriptor(ends[0]), .writing = Descriptor(ends[1])};
}

void set_nonblocking(const Descriptor& descriptor) {
  const int flags = ::fcntl(descriptor.get(), F_GETFL);
  if (flags < 0 || ::fcntl(descriptor.get(), F_SETFL, flags | O_NONBLOCK) != 0) {
    throw system_failure(Stop::internal, "cannot make a descriptor non-blocking", "fcntl");
  }
}

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace autokernel
