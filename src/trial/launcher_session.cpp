#include "trial/launcher_session.h"

#include <fmt/format.h>

#include <csignal>
#include <utility>

#include "autokernel/base/error.h"
#include "trial/fate.h"

namespace autokernel::trial {
namespace {

// A launcher changes its phase eight times; more would keep a trial from its end.
constexpr int kMostPhases = 16;

// A kernel that gets at the process it runs in can make it say anything.
[[nodiscard]] Rejection disbelieved(const std::string& why) {
  return {Verdict::crashed,
          "the process in which the kernel ran cannot be believed any more: " + why, "",
          Cause::unknown};
}

}  // namespace

LauncherSession::LauncherSession(const RunnerCommand& command, std::size_t outbox_bytes,
                                 const Preparation& preparation)
    : outbox_(outbox_bytes),
      process_(command, outbox_.descriptor()),
      asking_on_([launcher = process_.id()] { ::kill(launcher, kWhereaboutsQuestion); }) {
  process_.send(preparation);
}

void LauncherSession::assign(const LaunchTask& task, const SizedCase& checked,
                             const SizedCase& timed, Keys& keys) {
  account_ = std::make_unique<LaunchAccount>(checked, timed, keys);
  is_checked_ = task.checked;
  has_opponent_ = task.against.has_value();
  process_.send(task);
}

Timing LauncherSession::follow(SessionListener& listener) {
  listener_ = &listener;
  for (;;) {
    std::optional<Report> report;
    try {
      report = process_.next();
    } catch (const Error& error) {
      return disbelieved(error.what());
    }
    if (!report) return lost();
    Ended ended = std::visit([this](auto& what) { return take(what); }, *report);
    if (ended) return *std::move(ended);
  }
}

void LauncherSession::dismiss() const { ::kill(-process_.id(), SIGKILL); }

LauncherSession::Ended LauncherSession::take(const Phase& phase) {
  // Each begins a deadline anew.
  const bool is_its = phase == Phase::check || phase == Phase::time || phase == Phase::harness;
  if (!is_its || ++phases_told_ > kMostPhases) {
    return disbelieved("it enters phases that are none of its own");
  }
  has_begun_ = has_begun_ || phase != Phase::harness;
  phase_ = phase;
  listener_->entered(phase);
  return std::nullopt;
}

LauncherSession::Ended LauncherSession::take(const Code& code) const {
  listener_->code_is(code);
  return std::nullopt;
}

LauncherSession::Ended LauncherSession::take(const Whereabouts& whereabouts) const {
  listener_->stands_at(whereabouts);
  return std::nullopt;
}

LauncherSession::Ended LauncherSession::take(const Opened& /*report*/) const {
  listener_->opened();
  return std::nullopt;
}

LauncherSession::Ended LauncherSession::take(Compiled& compiled) {
  if (std::exchange(is_compiled_, true)) return disbelieved("it compiles twice");
  listener_->compiled(compiled);
  process_.send(GoOn{});
  return std::nullopt;
}

LauncherSession::Ended LauncherSession::take(const KeyWanted& wanted) {
  const auto key = account_->draw(wanted.launch);
  if (!key) return disbelieved("it wants a key that it has no use for");
  process_.send(KeyAnswer{hexadecimal(*key)});
  return std::nullopt;
}

LauncherSession::Ended LauncherSession::take(const Delivered& delivered) {
  if (const std::string why = account_->accept(delivered); !why.empty()) return disbelieved(why);
  if (listener_->is_judged(delivered)) account_->keep(outbox_.take(account_->sized()));
  process_.send(GoOn{});
  // While the launcher makes its next inputs.
  outbox_.prepare(account_->sized());
  return std::nullopt;
}

LauncherSession::Ended LauncherSession::take(const SampleTaken& sample) {
  process_.send(SampleAnswer{listener_->counts(sample)});
  return std::nullopt;
}

LauncherSession::Ended LauncherSession::take(const ChecksDone& /*report*/) {
  if (account_->is_timing()) return disbelieved("it has been checked before");
  if (is_checked_) {
    const std::string why = account_->missing_checks();
    if (!why.empty()) return disbelieved(why);
  }
  if (auto rejected = listener_->checked(*account_)) return *std::move(rejected);
  account_->begin_timing();
  process_.send(GoOn{});
  return std::nullopt;
}

LauncherSession::Ended LauncherSession::take(Timed& timed) {
  if (const std::string why = account_->misfit(timed, has_opponent_); !why.empty()) {
    return disbelieved(why);
  }
  listener_->timed();
  process_.send(GoOn{});
  return std::move(timed);
}

LauncherSession::Ended LauncherSession::take(Rejection& rejection) const {
  if (rejection.verdict == Verdict::correct) return disbelieved("it judges itself");
  return std::move(rejection);
}

LauncherSession::Ended LauncherSession::take(const Failure& failure) const {
  if (has_begun_ && failure.stop == Stop::internal) return disbelieved(failure.what);
  throw Error(failure.stop, failure.what);
}

// It ended without an answer.
Rejection LauncherSession::lost() {
  const Ending ending = process_.ending();
  lost_in_ = phase_;
  if (ending.signal == 0 && has_begun_) {
    return {Verdict::crashed,
            fmt::format("the process in which the kernel ran ended with code {}", ending.code),
            process_.printed(), Cause::unknown};
  }
  Result fate = fallen_silent(phase_, ending, process_.printed());
  return {fate.verdict, std::move(fate.reason), std::move(fate.detail), fate.cause};
}

}  // namespace autokernel::trial
