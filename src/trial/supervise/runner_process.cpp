#include "trial/supervise/runner_process.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "autokernel/base/drain.h"
#include "autokernel/trial/resident.h"
#include "autokernel/trial/sources.h"
#include "trial/supervise/lender.h"
#include "trial/supervise/whereabouts_signal.h"

namespace autokernel::trial {
namespace {

// Compiler logs and a kernel's printf go to the log file; beyond this nobody reads them, and a
// kernel that prints in every thread must not fill the disk.
constexpr std::size_t kLargestPrint = std::size_t{1} << 20;
// A result holds thousands of samples at most. A runner that sends more than this is broken.
constexpr std::size_t kLargestMessage = std::size_t{64} << 20;

constexpr std::chrono::milliseconds kPrintInterval{20};

[[nodiscard]] Variables with_temporary_folder(Variables variables,
                                              const std::filesystem::path& folder) {
  variables["TMPDIR"] = folder.string();
  return variables;
}

[[nodiscard]] std::unique_ptr<RunningRunner> running_runner(const RunnerCommand& command,
                                                            const Request& request,
                                                            const Variables& variables,
                                                            const std::filesystem::path& scratch) {
  if (command.may_be_ready && request.confined && resident_seconds() > 0) {
    if (auto ready = borrowed_runner(recipe_for(request, variables))) return ready;
  }
  return own_runner(Child::start({.program = command.program,
                                  .arguments = command.arguments,
                                  .environment = with_temporary_folder(variables, scratch),
                                  .inherits = Inherits::nothing}));
}

}  // namespace

RunnerProcess::RunnerProcess(const RunnerCommand& command, const Request& request,
                             const Variables& variables, const std::filesystem::path& scratch)
    : RunnerProcess(command, Resolved{with_reachable_headers(request)}, variables, scratch) {}

RunnerProcess::RunnerProcess(const RunnerCommand& command, const Resolved& resolved,
                             const Variables& variables, const std::filesystem::path& scratch)
    : runner_(running_runner(command, resolved.request, variables, scratch)),
      unsent_(encode(resolved.request)),
      printed_(kLargestPrint) {}

std::vector<Event> RunnerProcess::exchange(std::chrono::milliseconds patience, int wake) {
  // A closed descriptor is -1, which poll passes over.
  std::array<pollfd, 4> watched{{{runner_->input().get(), POLLOUT, 0},
                                 {runner_->output().get(), POLLIN, 0},
                                 {runner_->messages().get(), POLLIN, 0},
                                 {wake, POLLIN, 0}}};
  ::poll(watched.data(), watched.size(), static_cast<int>(patience.count()));
  send();
  read_prints();
  return read_events();
}

void RunnerProcess::ask() const { ::kill(runner_->id(), kWhereaboutsSignal); }

std::optional<Ending> RunnerProcess::ending(std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (;;) {
    // Its last prints may be more than a pipe holds, and then it cannot end before they are read.
    read_prints();
    const auto now = std::chrono::steady_clock::now();
    const std::optional<Ending> ending =
        runner_->wait_until(std::min(deadline, now + kPrintInterval));
    if (ending) read_prints();
    if (ending || now >= deadline) return ending;
  }
}

namespace {

// Runners that are ending, and what they leave behind: waited for when this program ends.
class Parted {
 public:
  Parted() = default;
  Parted(const Parted&) = delete;
  Parted& operator=(const Parted&) = delete;
  Parted(Parted&&) = delete;
  Parted& operator=(Parted&&) = delete;
  ~Parted() {
    runners_.clear();
    // Their launchers, which came to us (ProcessTree::spare).
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }

  void add(std::unique_ptr<RunningRunner> runner) {
    // Those of earlier trials have long ended.
    std::erase_if(runners_, [](const std::unique_ptr<RunningRunner>& each) {
      return each->wait_until(std::chrono::steady_clock::now()).has_value();
    });
    runner->output().close();
    runner->messages().close();
    runners_.push_back(std::move(runner));
  }

 private:
  std::vector<std::unique_ptr<RunningRunner>> runners_;
};

}  // namespace

void RunnerProcess::part() {
  static Parted parted;
  parted.add(std::move(runner_));
}

void RunnerProcess::send() {
  while (runner_->input().is_open() && !unsent_.empty()) {
    const ssize_t count =
        ::send(runner_->input().get(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count < 0) unsent_.clear();  // it has gone: why, its ending tells
    if (count > 0) unsent_.erase(0, static_cast<std::size_t>(count));
  }
  runner_->input().close();
}

void RunnerProcess::read_prints() {
  drain(runner_->output(), [this](std::string_view piece) { printed_.add(piece); });
}

std::vector<Event> RunnerProcess::read_events() {
  drain(runner_->messages(), [this](std::string_view piece) {
    unparsed_.add(piece);
    if (unparsed_.unfinished() > kLargestMessage) {
      throw Error(Stop::internal, "the runner sent a message of more than 64 MiB");
    }
  });
  std::vector<Event> events;
  while (const auto line = unparsed_.next()) events.push_back(decode_event(*line));
  return events;
}

}  // namespace autokernel::trial
