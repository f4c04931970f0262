#include "cli/parent_channel.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "autokernel/base/process.h"
#include "autokernel/base/system_error.h"

namespace autokernel::cli {

Descriptor parent_channel(const std::string& hidden, const std::string& instead) {
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
  if (!write_all(channel.get(), bytes)) {
    throw system_failure(Stop::internal, "cannot write to the parent process", "write");
  }
}

void leave(int code) {
  std::fflush(nullptr);  // what kernels have printed
  ::_exit(code);
}

}  // namespace autokernel::cli
