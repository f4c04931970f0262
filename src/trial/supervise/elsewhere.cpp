#include "trial/supervise/elsewhere.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "autokernel/base/bounded_text.h"
#include "autokernel/base/build_id.h"
#include "autokernel/base/error.h"
#include "autokernel/base/interrupts.h"
#include "autokernel/base/process.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/trial/message.h"
#include "autokernel/trial/other_device.h"
#include "autokernel/trial/sources.h"
#include "trial/supervise/drain.h"
#include "trial/supervise/line_buffer.h"
#include "trial/supervise/order_message.h"
#include "trial/supervise/place_command.h"
#include "trial/supervise/sanitized_result.h"

namespace autokernel::trial {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kInterval{100};
// ssh gives up by itself, as the user has configured it; a job may wait for a machine.
constexpr std::chrono::minutes kLongestWelcome{60};
constexpr std::size_t kLargestMessage = std::size_t{64} << 20U;
constexpr std::size_t kMostSaid = 2000;

// The connection broke; or never was, and another try would end as this one.
struct Lost {
  std::string why;
  bool was_there = true;
};

// A program at a place, and what it says.
class Connection {
 public:
  explicit Connection(std::string place)
      : place_(std::move(place)), child_(started(place_)), said_(kMostSaid) {}

  // Waits for the greeting. Throws Lost, Error(environment) for another build, and Interrupted.
  void welcome(const Interrupts& interrupts) {
    const auto deadline = Clock::now() + kLongestWelcome;
    while (true) {
      if (const auto line = next_line()) {
        if (*line == greeting() + "\n") return;
        throw Error(Stop::environment,
                    fmt::format("cannot measure at {}: it has another build of autokernel ({}; "
                                "here {}); install this one there",
                                place_, visible_line(*line), greeting()));
      }
      require_alive();
      if (Clock::now() > deadline) throw Lost{"it does not answer"};
      wait(interrupts);
      if (const auto signal = interrupts.next()) throw Interrupted(*signal);
    }
  }

  void send(const std::string& line) { unsent_ += line; }
  // Whatever is to be done, or a while.
  void wait(const Interrupts& interrupts) {
    std::array<pollfd, 4> watched{{{child_.messages().get(), POLLIN, 0},
                                   {child_.output().get(), POLLIN, 0},
                                   {interrupts.descriptor(), POLLIN, 0},
                                   {unsent_.empty() ? -1 : child_.input().get(), POLLOUT, 0}}};
    ::poll(watched.data(), watched.size(), static_cast<int>(kInterval.count()));
    while (!unsent_.empty()) {
      const ssize_t count =
          ::send(child_.input().get(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) break;
      if (count < 0) throw Lost{said()};
      unsent_.erase(0, static_cast<std::size_t>(count));
    }
    drain(child_.output(), [this](std::string_view piece) { said_.add(piece); });
    drain(child_.messages(), [this](std::string_view piece) { lines_.add(piece); });
    if (lines_.unfinished() > kLargestMessage) throw Lost{"it sends no end of a message"};
  }
  [[nodiscard]] std::optional<std::string> next_line() { return lines_.next(); }
  // Throws Lost where nothing more will come.
  void require_alive() {
    if (!child_.messages().is_open()) throw Lost{said()};
  }

 private:
  // Its standard output becomes the channel for messages: what ssh says itself goes another way.
  [[nodiscard]] static Child started(const std::string& place) {
    const PlaceCommand command = command_at(place);
    std::vector<std::string> arguments = {"-c", "exec \"$@\" >&3 3>&-", "sh",
                                          command.program.string()};
    arguments.insert(arguments.end(), command.arguments.begin(), command.arguments.end());
    return Child::start({.program = "/bin/sh",
                         .arguments = std::move(arguments),
                         .environment = {},
                         .inherits = Inherits::everything});
  }
  [[nodiscard]] std::string said() {
    drain(child_.output(), [this](std::string_view piece) { said_.add(piece); });
    const std::string text = visible_line(said_.text());
    return text.empty() ? "the connection was closed" : text;
  }

  std::string place_;
  Child child_;
  LineBuffer lines_;
  BoundedText said_;
  std::string unsent_;
};

// Those of this process, by place.
[[nodiscard]] std::unique_ptr<Connection>& connection_to(const std::string& place) {
  static std::map<std::string, std::unique_ptr<Connection>> all;
  return all[place];
}

class TrialElsewhere {
 public:
  TrialElsewhere(const Request& request, const Limits& limits, const Observer& observer)
      : place_(request.device.place),
        order_{limits, with_reachable_headers(request)},
        observer_(observer) {
    order_.request.device.place.clear();
  }

  // Throws Lost.
  [[nodiscard]] Result run() {
    std::unique_ptr<Connection>& connection = connection_to(place_);
    try {
      if (!connection) {
        auto made = std::make_unique<Connection>(place_);
        made->welcome(interrupts_);
        connection = std::move(made);
      }
      connection->send(encode(order_));
      return answer_of(*connection);
    } catch (Lost& lost) {
      lost.was_there = connection != nullptr;
      connection.reset();
      throw;
    } catch (...) {
      // Whoever was interrupted, or cut off, leaves no trial behind: it ends with the connection.
      // One that has answered, if only that the trial cannot be made, is there for another.
      if (!has_answered_) connection.reset();
      throw;
    }
  }

 private:
  [[nodiscard]] Result answer_of(Connection& connection) {
    while (true) {
      while (const auto line = connection.next_line()) {
        Event event = decode_event(*line);
        std::visit([this](auto& what) { take(what); }, event);
        if (result_) return std::move(*result_);
      }
      connection.require_alive();
      if (observer_.progress) observer_.progress(phase_, Clock::now() - entered_);
      connection.wait(interrupts_);
      if (const auto signal = interrupts_.next()) {
        if (!observer_.interrupted || !observer_.interrupted(*signal)) throw Interrupted(*signal);
      }
    }
  }

  void take(Phase phase) {
    phase_ = phase;
    entered_ = Clock::now();
  }
  void take(const Outline& outline) const {
    Result known = outline.known;
    sanitize(known);
    if (observer_.learned) observer_.learned(known);
  }
  void take(Code& code) { ptx_ = std::move(code.ptx); }
  void take(const Whereabouts& /*text*/) const {}
  void take(Result& result) {
    result.ptx = std::move(ptx_);
    sanitize(result);
    result.total_seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
    result_ = std::move(result);
  }
  [[noreturn]] void take(const Failure& failure) {
    has_answered_ = true;
    const std::string what = fmt::format("{} (at {})", sanitized_reason(failure.what), place_);
    if (failure.is_other_device) throw OtherDevice(what);
    throw Error(failure.stop, what);
  }

  std::string place_;
  TrialOrder order_;
  const Observer& observer_;
  Clock::time_point begun_ = Clock::now();
  Clock::time_point entered_ = begun_;
  Phase phase_ = Phase::start;
  std::string ptx_;
  std::optional<Result> result_;
  bool has_answered_ = false;
  Interrupts interrupts_;
};

}  // namespace

std::string greeting() {
  return fmt::format("autokernel-relay {} {}", AUTOKERNEL_VERSION, own_build_id());
}

Result supervise_elsewhere(const Request& request, const Limits& limits, const Observer& observer) {
  const std::string& place = request.device.place;
  const auto fail = [&](const std::string& why) {
    return Error(Stop::environment, fmt::format("cannot measure at {}: {}{}", place, why,
                                                why.find("not found") == std::string::npos
                                                    ? ""
                                                    : "; install this build of autokernel there"));
  };
  std::string why;
  try {
    return TrialElsewhere(request, limits, observer).run();
  } catch (const Lost& lost) {
    if (!lost.was_there) throw fail(lost.why);
    why = lost.why;
  }
  if (observer.note) observer.note(fmt::format("lost {}: {}", place, why));
  try {
    Result result = TrialElsewhere(request, limits, observer).run();
    result.warnings.push_back(
        fmt::format("the connection to {} was lost ({}), and the trial made again", place, why));
    return result;
  } catch (const Lost& lost) {
    throw fail(lost.why);
  }
}

}  // namespace autokernel::trial
