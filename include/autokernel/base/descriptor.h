// One owner for each open file descriptor, and the pairs of descriptors two processes talk through.
#pragma once

#include <string_view>

#include "autokernel/base/owned.h"

namespace autokernel {

// A descriptor's number as a handle: 0 is a valid descriptor, so "none" is -1.
struct DescriptorNumber {
  int value = -1;
  friend bool operator==(const DescriptorNumber&, const DescriptorNumber&) = default;
};

// Sole owner of an open file descriptor; empty after a move.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number);

  [[nodiscard]] int get() const noexcept { return number_.get().value; }
  [[nodiscard]] bool is_open() const noexcept { return get() >= 0; }
  void close() { number_ = {}; }

 private:
  Owned<DescriptorNumber> number_;
};

// Two ends of one channel; both are closed in a process that is started later, unless it is handed
// one on purpose.
struct Pipe {
  Descriptor reading;
  Descriptor writing;
};
// One way. Throws Error(environment).
[[nodiscard]] Pipe make_pipe();
// Both ways. Unlike a pipe, a socket can be written to without a SIGPIPE when the other side has
// gone.
[[nodiscard]] Pipe make_socket_pair();

// Makes reads and writes return at once instead of waiting. Throws Error(internal).
void set_nonblocking(const Descriptor& descriptor);

// Writes all of it to a descriptor that blocks, whoever owns it. False where the rest could not be
// written: errno says why.
[[nodiscard]] bool write_all(int descriptor, std::string_view bytes);

}  // namespace autokernel
