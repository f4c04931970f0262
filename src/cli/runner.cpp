#include "cli/runner.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <exception>
#include <string_view>

#include "autokernel/base/process.h"
#include "autokernel/base/system_error.h"
#include "autokernel/trial/message.h"
#include "autokernel/trial/runner.h"

namespace autokernel::cli {
namespace {

using trial::Event;

[[nodiscard]] Descriptor messages_channel() {
  struct stat status{};
  const bool is_pipe = ::fstat(kMessagesDescriptor, &status) == 0 && S_ISFIFO(status.st_mode);
  // Closed in processes that a library may start: the supervisor takes the channel's end for ours.
  if (!is_pipe || ::fcntl(kMessagesDescriptor, F_SETFD, FD_CLOEXEC) != 0) {
    throw Error(Stop::usage,
                "'autokernel runner' is started by autokernel itself; use 'autokernel bench'");
  }
  return Descriptor(kMessagesDescriptor);
}

[[nodiscard]] std::string all_input() {
  std::string bytes;
  std::array<char, 65536> piece{};
  for (;;) {
    const ssize_t count = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw system_failure(Stop::internal, "cannot read the request", "read");
    if (count == 0) return bytes;
    bytes.append(piece.data(), static_cast<std::size_t>(count));
  }
}

void send(const Descriptor& channel, const Event& event) {
  const std::string line = trial::encode(event);
  for (std::string_view rest = line; !rest.empty();) {
    const ssize_t count = ::write(channel.get(), rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw system_failure(Stop::internal, "cannot answer the supervisor", "write");
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace

void Runner::declare(CLI::App& /*app*/) {}

int Runner::run(const Console& /*console*/) {
  const Descriptor channel = messages_channel();
  // Started as /proc/self/exe, it would otherwise be listed as "exe".
  ::prctl(PR_SET_NAME, "autokernel-run");
  // An Error belongs to the supervisor's user, not to this process, so it travels up instead of to
  // our own main.
  try {
    const trial::Request request = trial::decode_request(all_input());
    send(channel, trial::run_trial(
                      request, [&](trial::Phase phase) { send(channel, phase); },
                      [&](const trial::Result& known) { send(channel, trial::Outline{known}); }));
    return 0;
  } catch (const Error& error) {
    send(channel, trial::Failure{.stop = error.stop(), .what = error.what()});
    return static_cast<int>(error.stop());
  } catch (const std::exception& error) {
    const std::string what = std::string("the runner met an unexpected error: ") + error.what();
    send(channel, trial::Failure{.stop = Stop::internal, .what = what});
    return static_cast<int>(Stop::internal);
  }
}

}  // namespace autokernel::cli
