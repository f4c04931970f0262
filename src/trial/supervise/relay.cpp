#include "autokernel/trial/relay.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <string>

#include "autokernel/base/descriptor.h"
#include "autokernel/base/error.h"
#include "autokernel/base/line_buffer.h"
#include "autokernel/trial/message.h"
#include "autokernel/trial/order.h"
#include "autokernel/trial/other_device.h"
#include "autokernel/trial/resident.h"
#include "autokernel/trial/supervisor.h"

namespace autokernel::trial {
namespace {

// The other machine has gone.
struct Gone {};

class Relay {
 public:
  void run() {
    say(relay_greeting() + "\n");
    while (const std::optional<std::string> line = next_line())
      supervise_one(decode_trial_order(*line));
  }

 private:
  static void say(const std::string& text) {
    if (!write_all(STDOUT_FILENO, text)) throw Gone{};
  }
  static void tell(const Event& event) { say(encode(event)); }

  // None where the input has ended.
  [[nodiscard]] std::optional<std::string> next_line() {
    std::array<char, 65536> piece{};
    while (true) {
      if (auto line = lines_.next()) return line;
      const ssize_t count = ::read(STDIN_FILENO, piece.data(), piece.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return std::nullopt;
      lines_.add({piece.data(), static_cast<std::size_t>(count)});
    }
  }

  // Whether nothing more can come: its end can be read, or only its hanging up is left.
  [[nodiscard]] static bool has_ended() {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (::poll(&input, 1, 0) <= 0) return false;
    int waiting = 0;
    return ::ioctl(STDIN_FILENO, FIONREAD, &waiting) == 0 && waiting == 0;
  }

  void supervise_one(const TrialOrder& order) {
    Observer observer;
    std::optional<Phase> said;
    observer.progress = [&](Phase phase, auto /*elapsed*/) {
      // As a user's Ctrl-C: it is taken down in order, before anything is written that nobody
      // reads.
      if (has_ended()) {
        ::kill(::getpid(), SIGTERM);
        return;
      }
      if (phase != said) tell(phase);
      said = phase;
    };
    observer.learned = [&](const Result& known) { tell(Outline{known}); };
    try {
      const Result result =
          supervise(order.request, order.limits, observer, {.may_be_ready = true});
      if (!result.ptx.empty()) tell(Code{result.ptx});
      tell(result);
    } catch (const OtherDevice& error) {
      tell(Failure{.stop = error.stop(), .what = error.what(), .is_other_device = true});
    } catch (const Error& error) {
      tell(Failure{.stop = error.stop(), .what = error.what()});
    }
    // Another like it is what follows in a loop.
    get_runner_ready(order.request);
  }

  LineBuffer lines_;
};

}  // namespace

int run_relay() {
  try {
    Relay().run();
    return 0;
  } catch (const Gone&) {
    return 0;
  }
}

}  // namespace autokernel::trial
