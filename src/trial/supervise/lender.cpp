#include "trial/supervise/lender.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>
#include <vector>

#include "autokernel/base/environment.h"
#include "autokernel/base/error.h"
#include "autokernel/base/line_buffer.h"
#include "autokernel/base/local_socket.h"
#include "autokernel/base/number.h"
#include "autokernel/base/process_tree.h"
#include "autokernel/trial/resident.h"
#include "autokernel/trial/runner_environment.h"
#include "autokernel/trial/sources.h"
#include "trial/supervise/surroundings.h"

namespace autokernel::trial {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// It answers within a millisecond, on a busy machine within some hundred. One that is stopped must
// not hold anybody up for long.
constexpr milliseconds kLongestAnswer{1000};
// It kills a runner within milliseconds, and waits for a driver to take a device back.
constexpr milliseconds kLongestEnding{5000};
constexpr std::size_t kChannels = 3;  // input, output and messages of a runner

// It says a number and a few words.
constexpr std::size_t kLongestWord = std::size_t{64} << 10U;

// Whether it is what a runner has: an input that is a socket, and two pipes. Of anything else, a
// device or a file, there may be no end.
[[nodiscard]] bool are_channels(const std::vector<Descriptor>& descriptors) {
  constexpr std::array<mode_t, kChannels> kKinds = {S_IFSOCK, S_IFIFO, S_IFIFO};
  if (descriptors.size() != kKinds.size()) return false;
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    struct stat status{};
    if (::fstat(descriptors[i].get(), &status) != 0 || (status.st_mode & S_IFMT) != kKinds[i]) {
      return false;
    }
  }
  return true;
}

// A conversation with the resident process.
class Conversation {
 public:
  explicit Conversation(Descriptor socket) : socket_(std::move(socket)) {}

  [[nodiscard]] bool ask(const Ask& ask) {
    return send_to(socket_, encode(ask), Clock::now() + kLongestAnswer);
  }
  // None where it says nothing until then, or has gone.
  [[nodiscard]] std::optional<Answer> answer(Clock::time_point deadline) {
    for (;;) {
      if (const auto line = lines_.next()) return decode_answer(*line);
      const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
      if (has_gone_ || left.count() < 0 || lines_.unfinished() > kLongestWord) return std::nullopt;
      pollfd watched{socket_.get(), POLLIN, 0};
      ::poll(&watched, 1, static_cast<int>(left.count()));
      Received received = receive_from(socket_);
      lines_.add(received.bytes);
      for (Descriptor& each : received.descriptors) descriptors_.push_back(std::move(each));
      has_gone_ = received.is_over;
      if (left.count() == 0 && received.bytes.empty()) return std::nullopt;
    }
  }
  [[nodiscard]] bool has_gone() const { return has_gone_; }
  [[nodiscard]] std::vector<Descriptor> take_descriptors() {
    return std::exchange(descriptors_, {});
  }

 private:
  Descriptor socket_;
  LineBuffer lines_;
  std::vector<Descriptor> descriptors_;
  bool has_gone_ = false;
};

class LentRunner : public RunningRunner {
 public:
  LentRunner(Conversation conversation, pid_t keeper, pid_t id, std::vector<Descriptor> channels)
      : conversation_(std::move(conversation)),
        keeper_(keeper),
        id_(id),
        channels_(std::move(channels)) {}

  [[nodiscard]] pid_t id() const override { return id_; }
  [[nodiscard]] Descriptor& input() override { return channels_[0]; }
  [[nodiscard]] Descriptor& output() override { return channels_[1]; }
  [[nodiscard]] Descriptor& messages() override { return channels_[2]; }
  [[nodiscard]] std::optional<Ending> wait_until(Clock::time_point deadline) override {
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
    return ending_within(std::clamp(left, milliseconds{0}, kLongestEnding), deadline);
  }
  void kill() override {
    if (ending_within(milliseconds{0}, Clock::now() + kLongestEnding)) return;
    // Who keeps it does not answer; it has not been reaped then, so that the number is still its.
    if (parent_of(id_) == keeper_) ::kill(-id_, SIGKILL);
  }
  [[nodiscard]] bool is_lent() const override { return true; }

 private:
  [[nodiscard]] std::optional<Ending> ending_within(milliseconds patience,
                                                    Clock::time_point deadline) {
    if (ending_) return ending_;
    const bool is_sooner = !patience_ || patience < *patience_;
    if (is_sooner) {
      patience_ = patience;
      if (!conversation_.ask(Over{static_cast<int>(patience.count())})) return gone();
    }
    try {
      const auto answer = conversation_.answer(deadline);
      if (const auto* ended = answer ? std::get_if<Ended>(&*answer) : nullptr) {
        ending_ = Ending{.code = ended->code, .signal = ended->signal};
      }
    } catch (const Error&) {
      return gone();
    }
    return conversation_.has_gone() && !ending_ ? gone() : ending_;
  }
  // Its parent has gone, which ends it.
  [[nodiscard]] std::optional<Ending> gone() {
    ending_ = Ending{.code = 0, .signal = SIGKILL};
    return ending_;
  }

  Conversation conversation_;
  pid_t keeper_;
  pid_t id_;
  std::vector<Descriptor> channels_;
  std::optional<milliseconds> patience_;  // that was asked for
  std::optional<Ending> ending_;
};

[[nodiscard]] bool is_ours(const Peer& peer) {
  return peer.user == ::getuid() && runs_our_program(peer.process);
}

struct Connected {
  Descriptor socket;  // not open where nobody is resident that we trust
  pid_t keeper = 0;
};
[[nodiscard]] Connected connected() {
  Connected to{.socket = connect_to(resident_name())};
  if (!to.socket.is_open()) return to;
  const auto peer = peer_of(to.socket);
  if (!peer || !is_ours(*peer)) return {};
  to.keeper = peer->process;
  return to;
}

}  // namespace

std::string resident_name() {
  return fmt::format("autokernel-{}-{}", ::getuid(), digest_of_surroundings(::getpid()));
}

std::unique_ptr<RunningRunner> borrowed_runner(const RunnerRecipe& recipe) {
  try {
    Connected to = connected();
    if (!to.socket.is_open()) return nullptr;
    Conversation conversation(std::move(to.socket));
    if (!conversation.ask(Wanted{digest_of(recipe)})) return nullptr;
    const auto answer = conversation.answer(Clock::now() + kLongestAnswer);
    const auto* lent = answer ? std::get_if<Lent>(&*answer) : nullptr;
    if (lent == nullptr) return nullptr;
    std::vector<Descriptor> channels = conversation.take_descriptors();
    if (!are_channels(channels) || lent->process <= 1 || parent_of(lent->process) != to.keeper ||
        !runs_our_program(lent->process)) {
      return nullptr;
    }
    for (const Descriptor& each : channels) set_nonblocking(each);
    return std::make_unique<LentRunner>(std::move(conversation), to.keeper, lent->process,
                                        std::move(channels));
  } catch (const std::exception&) {
    // It is a convenience: without it a runner is started.
    return nullptr;
  }
}

int resident_seconds() {
  constexpr int kUsual = 600;
  const Variables variables = own_variables();
  // Whatever an agent leaves running in its turn is ended with it.
  if (variables.contains("AUTOKERNEL_TURN")) return 0;
  const auto found = variables.find("AUTOKERNEL_RESIDENT");
  if (found == variables.end() || found->second.empty()) return kUsual;
  constexpr int kLongest = 86400;
  int seconds = 0;
  if (!read_number(found->second, seconds) || seconds < 0 || seconds > kLongest) {
    throw Error(Stop::usage,
                fmt::format("AUTOKERNEL_RESIDENT is '{}'; it is a number of seconds up to {}, for "
                            "which a process keeps runners ready where nobody asks for one (0: "
                            "none does)",
                            found->second, kLongest));
  }
  return seconds;
}

void get_runner_ready(const Request& expected, Starting starting) {
  const int seconds = resident_seconds();
  if (seconds == 0 || !expected.confined || !expected.device.place.empty()) return;
  try {
    // What would change what is measured is left out here, too.
    const Variables variables = runner_environment(own_variables()).variables;
    const Ask ask = GetReady{recipe_for(expected, variables), seconds};
    if (Connected to = connected(); to.socket.is_open()) {
      Conversation conversation(std::move(to.socket));
      if (conversation.ask(ask))
        static_cast<void>(conversation.answer(Clock::now() + kLongestAnswer));
      return;
    }
    if (starting == Starting::forbidden) return;
    Pipe ends = make_socket_pair();
    start_detached({.program = "/proc/self/exe",
                    .arguments = {"resident"},
                    .environment = variables,
                    .inherits = Inherits::nothing},
                   ends.reading);
    static_cast<void>(send_to(ends.writing, encode(ask), Clock::now() + kLongestAnswer));
  } catch (const std::exception&) {
    // The next trial starts its own.
    return;
  }
}

RunnerRecipe recipe_for(const Request& request, const Variables& variables) {
  return {.variables = variables,
          .directory = std::filesystem::current_path().string(),
          .expected = with_reachable_headers(request)};
}

}  // namespace autokernel::trial
