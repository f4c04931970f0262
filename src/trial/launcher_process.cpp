#include "trial/launcher_process.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "trial/drain.h"

namespace autokernel::trial {
namespace {

// Its last words; all that it prints goes on to the supervisor, which bounds what is kept.
constexpr std::size_t kLastWords = std::size_t{16} << 10U;
// A report holds some thousand samples, or a compiler's log. What sends more is not our launcher
// any more.
constexpr std::size_t kLargestReport = std::size_t{64} << 20U;
// Between closing its channel and its end a process only gives back its memory.
constexpr std::chrono::seconds kLongestDeath{10};

void wait_for(std::array<pollfd, 2> watched) { ::poll(watched.data(), watched.size(), -1); }

}  // namespace

LauncherProcess::LauncherProcess(const RunnerCommand& command, const Descriptor& outbox)
    : child_(Child::start({.program = command.program,
                           .arguments = command.arguments,
                           .environment = {},
                           .shared = &outbox})),
      printed_(kLastWords) {}

void LauncherProcess::send(const Order& order) {
  const std::string line = encode(order);
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t count =
        ::send(child_.input().get(), line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (count > 0) {
      sent += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN) {
      wait_for({{{child_.input().get(), POLLOUT, 0}, {child_.output().get(), POLLIN, 0}}});
      forward_prints();
    } else if (errno != EINTR) {
      return;  // it has gone: why, its ending tells
    }
  }
}

std::optional<Report> LauncherProcess::next() {
  for (;;) {
    if (const auto line = take_line()) {
      forward_prints();
      return decode_report(*line);
    }
    if (!child_.messages().is_open()) return std::nullopt;
    wait_for({{{child_.messages().get(), POLLIN, 0}, {child_.output().get(), POLLIN, 0}}});
    forward_prints();
    read_reports();
  }
}

std::optional<std::string> LauncherProcess::take_line() {
  const std::size_t end = unparsed_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = unparsed_.substr(0, end + 1);
  unparsed_.erase(0, end + 1);
  return line;
}

void LauncherProcess::read_reports() {
  drain(child_.messages(), [this](std::string_view piece) {
    unparsed_ += piece;
    if (unparsed_.size() > kLargestReport) {
      throw Error(Stop::internal, "the launcher sent a message of more than 64 MiB");
    }
  });
}

void LauncherProcess::forward_prints() {
  drain(child_.output(), [this](std::string_view piece) {
    printed_.add(piece);
    // Where nobody listens it is lost.
    static_cast<void>(write_all(STDOUT_FILENO, piece));
  });
}

Ending LauncherProcess::ending() {
  const auto ending = child_.wait_until(std::chrono::steady_clock::now() + kLongestDeath);
  forward_prints();
  return ending ? *ending : child_.kill();
}

}  // namespace autokernel::trial
