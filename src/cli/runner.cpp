// `autokernel runner`, which no user calls: the child that the supervisor starts for one trial.
#include "autokernel/trial/runner.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <variant>

#include "autokernel/base/system_error.h"
#include "autokernel/trial/message.h"
#include "autokernel/trial/other_device.h"
#include "cli/commands.h"
#include "cli/parent_channel.h"

namespace autokernel::cli {
namespace {

// Reads a request from standard input and writes events to descriptor 3
// (autokernel/trial/message.h). What it prints goes to the log.
class Runner : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "runner"; }
  [[nodiscard]] std::string summary() const override { return {}; }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;
};

using trial::Event;

// Lines of standard input.
class Input {
 public:
  // The next one with its newline; what is left where no other comes.
  [[nodiscard]] std::string line() {
    std::array<char, 65536> piece{};
    std::size_t searched = 0;
    for (;;) {
      const std::size_t end = bytes_.find('\n', searched);
      if (end != std::string::npos) {
        std::string line = bytes_.substr(0, end + 1);
        bytes_.erase(0, end + 1);
        return line;
      }
      searched = bytes_.size();
      const ssize_t count = ::read(STDIN_FILENO, piece.data(), piece.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) throw system_failure(Stop::internal, "cannot read the request", "read");
      if (count == 0) return std::exchange(bytes_, {});
      bytes_.append(piece.data(), static_cast<std::size_t>(count));
    }
  }

 private:
  std::string bytes_;
};

// The request, once it comes; until then the trial gets ready for what is expected.
[[nodiscard]] trial::Request awaited_request(trial::PreparedTrial& prepared) {
  Input input;
  for (;;) {
    trial::Errand errand = trial::decode_errand(input.line());
    if (auto* request = std::get_if<trial::Request>(&errand)) return std::move(*request);
    // Nobody waits for it yet, and it may hold the device's lock: one that hangs ends by the
    // signal.
    constexpr unsigned kLongestSeconds = 60;
    ::alarm(kLongestSeconds);
    prepared.expect(std::get<trial::Expected>(errand).request);
    ::alarm(0);
  }
}

// Several threads tell: what one says is not cut by another.
class Teller {
 public:
  explicit Teller(const Descriptor& channel) : channel_(channel) {}
  void operator()(const Event& event) {
    const std::lock_guard lock(mutex_);
    send(channel_, trial::encode(event));
  }

 private:
  const Descriptor& channel_;
  std::mutex mutex_;
};

// The exit code.
[[nodiscard]] int answer(const Descriptor& channel) {
  Teller tell(channel);
  // An Error belongs to the supervisor's user, not to this process, so it travels up instead of to
  // our own main.
  try {
    trial::PreparedTrial prepared;
    const trial::Request request = awaited_request(prepared);
    static_cast<void>(prepared.run(
        request, [&](trial::Phase phase) { tell(phase); },
        [&](const trial::Result& known) { tell(trial::Outline{known}); },
        [&](const trial::Result& result) {
          tell(result);
          // Whoever waits for us has all there is. The kernel gives devices and memory back faster
          // than we could, and ends our launchers.
          leave(0);
        },
        {.code = [&](const std::string& ptx) { tell(trial::Code{ptx}); },
         .whereabouts = [&](const std::string& text) { tell(trial::Whereabouts{text}); }}));
    return 0;
  } catch (const trial::OtherDevice& error) {
    tell(trial::Failure{.stop = error.stop(), .what = error.what(), .is_other_device = true});
    return static_cast<int>(error.stop());
  } catch (const Error& error) {
    tell(trial::Failure{.stop = error.stop(), .what = error.what()});
    return static_cast<int>(error.stop());
  } catch (const std::bad_alloc&) {
    tell(trial::Failure{.stop = Stop::environment,
                        .what = "this machine has too little memory for tensors of that size; "
                                "choose a smaller size"});
    return static_cast<int>(Stop::environment);
  } catch (const std::exception& error) {
    const std::string what = std::string("unexpected error in the runner: ") + error.what();
    tell(trial::Failure{.stop = Stop::internal, .what = what});
    return static_cast<int>(Stop::internal);
  }
}

}  // namespace

void Runner::declare(Options /*options*/) {}

int Runner::run(const Console& /*console*/) {
  const Descriptor channel = parent_channel("runner", "bench");
  trial::block_whereabouts_signal();
  // Started as /proc/self/exe, it would otherwise be listed as "exe".
  ::prctl(PR_SET_NAME, "autokernel-run");
  leave(answer(channel));
}

std::unique_ptr<Command> runner_command() { return std::make_unique<Runner>(); }

}  // namespace autokernel::cli
