#include "trial/supervise/elsewhere.h"

#include <fmt/format.h>
#include <poll.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/interrupts.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/trial/message.h"
#include "autokernel/trial/order.h"
#include "autokernel/trial/other_device.h"
#include "autokernel/trial/place_link.h"
#include "autokernel/trial/sources.h"
#include "trial/supervise/installation.h"
#include "trial/supervise/place_command.h"
#include "trial/supervise/sanitized_result.h"

namespace autokernel::trial {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kInterval{100};
// ssh gives up by itself, as the user has configured it.
constexpr std::chrono::minutes kLongestWelcome{60};
// A place with a queue that has not greeted by then has us wait in it, and what it says of that is
// passed on.
constexpr std::chrono::seconds kUsualWelcome{2};

// The connection broke; or never was, and another try would end as this one.
struct Lost {
  std::string why;
  bool was_there = true;

  [[nodiscard]] bool says_not_found() const { return why.find("not found") != std::string::npos; }
  // A job of Slurm's that was begun, and ended before it could greet.
  [[nodiscard]] bool says_cancelled() const {
    return why.find("CANCELLED AT") != std::string::npos;
  }
};

constexpr const char* kInstall =
    "install this one there: a package (./dev package) does so by itself, where AUTOKERNEL_PACKAGE "
    "names its folder";

// What answers there is not this build.
struct OtherBuild {
  std::string what;
};

// A program at a place that is talked to as it is to be here.
class Connection {
 public:
  explicit Connection(const std::string& place) : link_(place) {}

  // Waits for the greeting. Throws Lost, OtherBuild, and Interrupted.
  void welcome(const Interrupts& interrupts, const Observer& observer) {
    const auto begun = Clock::now();
    bool has_told = false;
    while (true) {
      if (const auto line = next_line()) {
        if (*line == relay_greeting() + "\n") return;
        throw OtherBuild{visible_line(*line)};
      }
      require_alive();
      const auto elapsed = Clock::now() - begun;
      if (!link_.is_queued() && elapsed > kLongestWelcome) throw Lost{"it does not answer"};
      const bool waits = link_.is_queued() && elapsed > kUsualWelcome;
      if (observer.progress) observer.progress(waits ? Phase::queue : Phase::start, elapsed);
      if (waits && !has_told && observer.note && !link_.said().empty()) {
        observer.note(link_.said());
        has_told = true;
      }
      wait(interrupts);
      if (const auto signal = interrupts.next()) throw Interrupted(*signal);
    }
  }

  void send(const std::string& line) { link_.send(line); }
  // Whatever is to be done, or a while.
  void wait(const Interrupts& interrupts) {
    std::vector<pollfd> watched = {{interrupts.descriptor(), POLLIN, 0}};
    for (const PlaceLink::Wait& what : link_.waits_for())
      watched.push_back({what.descriptor, what.events, 0});
    ::poll(watched.data(), watched.size(), static_cast<int>(kInterval.count()));
    link_.exchange();
  }
  [[nodiscard]] std::optional<std::string> next_line() { return link_.next_line(); }
  // Throws Lost where nothing more will come.
  void require_alive() {
    if (link_.is_over()) throw Lost{link_.said().empty() ? kClosed : link_.said()};
  }

 private:
  static constexpr const char* kClosed = "the connection was closed";

  PlaceLink link_;
};

[[nodiscard]] std::unique_ptr<Connection> connected(const std::string& place,
                                                    const Interrupts& interrupts,
                                                    const Observer& observer) {
  auto made = std::make_unique<Connection>(place);
  made->welcome(interrupts, observer);
  return made;
}

// By ssh, this build is sent to a machine that lacks it. Throws what Connection::welcome does, but
// Error(environment) in place of OtherBuild.
[[nodiscard]] std::unique_ptr<Connection> connected_anyhow(const std::string& place,
                                                           const Interrupts& interrupts,
                                                           const Observer& observer) {
  std::optional<Lost> lost;
  std::string other;
  try {
    return connected(place, interrupts, observer);
  } catch (const OtherBuild& build) {
    other = build.what;
  } catch (const Lost& failure) {
    if (!failure.says_not_found()) throw;
    lost = failure;
  }
  if (driver::kind_of_place(place) == driver::PlaceKind::ssh) {
    if (const auto package = package_to_send(); !package.empty()) {
      install_at(place, package, observer.note);
      try {
        return connected(place, interrupts, observer);
      } catch (const OtherBuild& build) {
        other = build.what;
        lost.reset();
      }
    }
  }
  if (lost) throw *lost;
  throw Error(Stop::environment,
              fmt::format("cannot measure at {}: it has another build of autokernel ({}; here {}); "
                          "{}",
                          place, other, relay_greeting(), kInstall));
}

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
      if (!connection) connection = connected_anyhow(place_, interrupts_, observer_);
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

Result supervise_elsewhere(const Request& request, const Limits& limits, const Observer& observer) {
  const std::string& place = request.device.place;
  const int repetitions = command_at(place).repetitions;
  std::vector<std::string> lost_for;
  while (true) {
    try {
      Result result = TrialElsewhere(request, limits, observer).run();
      for (const std::string& why : lost_for) {
        result.warnings.push_back(fmt::format(
            "the connection to {} was lost ({}), and the trial made again", place, why));
      }
      return result;
    } catch (const Lost& lost) {
      const bool was_begun = lost.was_there || lost.says_cancelled();
      if (!was_begun || std::ssize(lost_for) == repetitions) {
        throw Error(Stop::environment, fmt::format("cannot measure at {}: {}{}{}", place, lost.why,
                                                   lost.says_not_found() ? "; " : "",
                                                   lost.says_not_found() ? kInstall : ""));
      }
      if (observer.note) observer.note(fmt::format("lost {}: {}", place, lost.why));
      lost_for.push_back(lost.why);
    }
  }
}

}  // namespace autokernel::trial
