#include "trial/runner/launcher_process.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "autokernel/base/drain.h"
#include "trial/runner/report_bounds.h"

namespace autokernel::trial {
namespace {

// Its last words; all that it prints goes on to the supervisor, which bounds what is kept.
constexpr std::size_t kLastWords = std::size_t{16} << 10U;
// A report holds some thousand samples, a compiler's log, or PTX in which each byte may be escaped,
// and nearly all are answered before the next. What sends more is not our launcher any more.
constexpr std::size_t kLargestReport = std::size_t{32} << 20U;
// Between closing its channel and its end a process only gives back its memory.
constexpr std::chrono::seconds kLongestLauncherDeath{10};

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
    if (const auto line = unparsed_.next()) {
      forward_prints();
      Report report = decode_report(*line);
      bound_texts(report);
      return report;
    }
    if (!child_.messages().is_open()) return std::nullopt;
    wait_for({{{child_.messages().get(), POLLIN, 0}, {child_.output().get(), POLLIN, 0}}});
    forward_prints();
    read_reports();
  }
}

void LauncherProcess::read_reports() {
  drain(child_.messages(), [this](std::string_view piece) {
    unparsed_.add(piece);
    if (unparsed_.waiting() > kLargestReport) {
      throw Error(Stop::internal, "the launcher sent more than 32 MiB at once");
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

bool LauncherProcess::is_silent() {
  read_reports();
  return child_.messages().is_open() && unparsed_.waiting() == 0;
}

std::optional<Ending> LauncherProcess::ending() {
  const auto ending = child_.wait_until(std::chrono::steady_clock::now() + kLongestLauncherDeath);
  if (!ending) static_cast<void>(child_.kill());
  forward_prints();
  return ending;
}

}  // namespace autokernel::trial
