#include "cli/messages_channel.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "autokernel/base/process.h"
#include "autokernel/base/system_error.h"

namespace autokernel::cli {

Descriptor messages_channel(const std::string& hidden, const std::string& instead) {
  struct stat status{};
  const bool is_pipe = ::fstat(kMessagesDescriptor, &status) == 0 && S_ISFIFO(status.st_mode);
  // Closed in processes that a library may start: whoever started us takes the channel's end for
  // ours.
  if (!is_pipe || ::fcntl(kMessagesDescriptor, F_SETFD, FD_CLOEXEC) != 0) {
    throw Error(Stop::usage, "'autokernel " + hidden + "' is started by autokernel itself; use '" +
                                 "autokernel " + instead + "'");
  }
  return Descriptor(kMessagesDescriptor);
}

void send(const Descriptor& channel, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(channel.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      throw system_failure(Stop::internal, "cannot answer the process that asked", "write");
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void leave(int code) {
  std::fflush(nullptr);  // what kernels have printed
  ::_exit(code);
}

}  // namespace autokernel::cli
