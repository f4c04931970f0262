#include "trial/supervise/judged.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "autokernel/base/cache_folder.h"
#include "autokernel/base/error.h"
#include "autokernel/base/interrupts.h"
#include "autokernel/base/line_buffer.h"
#include "autokernel/base/local_socket.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/trial/judge.h"
#include "autokernel/trial/message.h"
#include "autokernel/trial/order.h"
#include "autokernel/trial/other_device.h"
#include "trial/supervise/sanitized_result.h"

namespace autokernel::trial {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kJudgeInterval{100};
constexpr seconds kLongestGreeting{10};
// A judge that is started again reads its ledger, and finds its devices.
constexpr seconds kLongestAbsence{60};
constexpr milliseconds kBeforeAnotherTry{500};
constexpr seconds kLongestJudgeSend{30};
constexpr std::size_t kLongestJudgeLine = std::size_t{64} << 20U;

// SYS_UID_MAX of login.defs(5). People, and what they hand out by subuid(5), have greater numbers.
constexpr uid_t kLastSystemUser = 999;

bool own_user_is_refused = false;

// The judge has gone, and may come back.
struct JudgeGone {
  std::string why;
  bool may_return = true;
};

// Nobody has named a socket: that of the unit, or else of a judge of one's own.
[[nodiscard]] std::string socket_at(const std::string& place) {
  std::string file = driver::address_of(place);
  std::error_code missing;
  if (file != driver::kJudgeSocket || std::filesystem::exists(file, missing)) return file;
  const std::filesystem::path own = cache_folder() / "judge" / "judge.sock";
  return std::filesystem::exists(own, missing) ? own.string() : file;
}

// A connection to a judge, from its greeting on.
class JudgeConnection {
 public:
  // Throws Error where there is no judge to talk to, JudgeGone where it went meanwhile.
  JudgeConnection(const std::string& place, const Interrupts& interrupts) : place_(place) {
    const std::string file = socket_at(place);
    socket_ = connect_to_file(file);
    if (!socket_.is_open()) {
      const int why = errno;
      const std::string what =
          fmt::format("cannot reach the judge at {}: {}", file, std::strerror(why));
      // NOLINTBEGIN(concurrency-mt-unsafe): strerror has a buffer for each thread in glibc
      if (why == ECONNREFUSED || why == ENOENT) {
        // Of one that was killed, the file stays, and the next one takes it over.
        throw JudgeGone{.why = what + "; 'autokernel serve' starts one",
                        .may_return = why == ECONNREFUSED};
      }
      // NOLINTEND(concurrency-mt-unsafe)
      throw Error(Stop::environment, what);
    }
    require_trusted();
    welcome(interrupts);
  }

  void send(const JudgeMessage& message) {
    if (!send_to(socket_, encode(message), Clock::now() + kLongestJudgeSend))
      throw JudgeGone{
          fmt::format("the judge at {} takes nothing any more", driver::address_of(place_))};
  }
  [[nodiscard]] std::optional<std::string> next_line() { return lines_.next(); }
  void wait(const Interrupts& interrupts) {
    std::array<pollfd, 2> watched{
        {{socket_.get(), POLLIN, 0}, {interrupts.descriptor(), POLLIN, 0}}};
    ::poll(watched.data(), watched.size(), static_cast<int>(kJudgeInterval.count()));
    const Received received = receive_from(socket_);
    lines_.add(received.bytes);
    is_over_ = is_over_ || received.is_over;
    if (lines_.unfinished() > kLongestJudgeLine) throw JudgeGone{"it sends no end of a message"};
  }
  void require_alive() const {
    if (is_over_)
      throw JudgeGone{
          fmt::format("the judge at {} closed the connection", driver::address_of(place_))};
  }

 private:
  void require_trusted() const {
    if (!own_user_is_refused) return;
    const auto peer = peer_of(socket_);
    const std::string attempt =
        fmt::format("cannot confirm anything by the judge at {}: ", driver::address_of(place_));
    if (!peer || peer->user == ::geteuid()) {
      throw Error(Stop::environment,
                  attempt +
                      "it runs as you do, so that whatever you run could take its place; run "
                      "the judge as a system user of its own. 'autokernel verify-run --device "
                      "DEVICE' measures without it");
    }
    if (peer->user > kLastSystemUser) {
      throw Error(Stop::environment,
                  fmt::format("{}it runs as user {}, which is no system user (0 to {}): anybody "
                              "could have started it; run the judge as a system user",
                              attempt, peer->user, kLastSystemUser));
    }
  }
  void welcome(const Interrupts& interrupts) {
    const auto deadline = Clock::now() + kLongestGreeting;
    while (true) {
      if (const auto line = next_line()) {
        if (*line == judge_greeting() + "\n") return;
        throw Error(Stop::environment,
                    fmt::format("cannot measure at {}: the judge is of another build ({}; here "
                                "{}); install the same on both sides",
                                place_, visible_line(*line), judge_greeting()));
      }
      require_alive();
      if (Clock::now() > deadline) throw JudgeGone{"it does not greet"};
      wait(interrupts);
      if (const auto signal = interrupts.next()) throw Interrupted(*signal);
    }
  }

  std::string place_;
  Descriptor socket_;
  LineBuffer lines_;
  bool is_over_ = false;
};

// What is of the kernel, and of how it is to be measured.
[[nodiscard]] Request without_case(Request request) {
  request.device.place.clear();
  request.case_files.clear();
  request.case_images.clear();
  request.header_folders.reset();
  request.headers.clear();
  request.kernel_headers.clear();
  request.reference_headers.clear();
  request.python.clear();
  return request;
}

class JudgedTrial {
 public:
  JudgedTrial(const Request& request, const Limits& limits, const Observer& observer)
      : place_(request.device.place),
        order_{.key = fresh_order_key(),
               .case_digest = digest_of_case(request),
               .deadline_seconds = limits.queue_seconds,
               .order = {limits, without_case(request)}},
        observer_(observer) {}

  [[nodiscard]] Result run() {
    auto last_there = Clock::now();
    while (true) {
      try {
        return run_once(last_there);
      } catch (const JudgeGone& gone) {
        const bool is_worth_waiting = was_there_ || gone.may_return;
        if (Clock::now() - last_there > (is_worth_waiting ? kLongestAbsence : seconds{0})) {
          throw Error(
              Stop::environment,
              was_there_ ? fmt::format("lost the judge at {}: {}", place_, gone.why) : gone.why);
        }
        if (observer_.note && gone.why != told_)
          observer_.note("waiting for the judge: " + gone.why);
        told_ = gone.why;
      }
      std::this_thread::sleep_for(kBeforeAnotherTry);
      if (const auto signal = interrupts_.next()) throw Interrupted(*signal);
    }
  }

 private:
  [[nodiscard]] Result run_once(Clock::time_point& last_there) {
    JudgeConnection judge(place_, interrupts_);
    was_there_ = true;
    judge.send(order_);
    while (true) {
      while (const auto line = judge.next_line()) {
        last_there = Clock::now();
        Event event = decode_event(*line);
        std::visit([this](auto& what) { take(what); }, event);
        if (result_) return std::move(*result_);
      }
      judge.require_alive();
      last_there = Clock::now();
      if (observer_.progress) observer_.progress(phase_, Clock::now() - entered_);
      judge.wait(interrupts_);
      if (const auto signal = interrupts_.next()) {
        if (observer_.interrupted && observer_.interrupted(*signal)) continue;
        judge.send(JudgeCancel{});
        throw Interrupted(*signal);
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
  [[noreturn]] void take(const Failure& failure) const {
    const std::string what = fmt::format("{} (at {})", sanitized_reason(failure.what), place_);
    if (failure.is_other_device) throw OtherDevice(what);
    throw Error(failure.stop, what);
  }

  std::string place_;
  JudgeOrder order_;
  const Observer& observer_;
  Clock::time_point begun_ = Clock::now();
  Clock::time_point entered_ = begun_;
  Phase phase_ = Phase::queue;
  std::string ptx_;
  std::optional<Result> result_;
  bool was_there_ = false;
  std::string told_;
  Interrupts interrupts_;
};

}  // namespace

void refuse_judges_of_this_user() { own_user_is_refused = true; }

bool is_judge_of_this_user(const std::string& place) {
  const Descriptor socket = connect_to_file(socket_at(place));
  const auto peer = socket.is_open() ? peer_of(socket) : std::nullopt;
  return peer && peer->user == ::geteuid();
}

Result supervise_judged(const Request& request, const Limits& limits, const Observer& observer) {
  return JudgedTrial(request, limits, observer).run();
}

}  // namespace autokernel::trial
