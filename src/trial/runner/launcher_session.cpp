#include "trial/runner/launcher_session.h"

#include <fmt/format.h>

#include <csignal>
#include <utility>

#include "autokernel/base/error.h"
#include "trial/supervise/lost_runner.h"
#include "trial/supervise/text_bounds.h"

namespace autokernel::trial {
namespace {

// A kernel that gets at the process it runs in can make it say anything.
[[nodiscard]] Rejection disbelieved(const std::string& why) {
  return {Verdict::crashed,
          "the process in which the kernel ran cannot be believed any more: " +
              bounded(why, kLongestReason / 2),
          "", Cause::unknown};
}

}  // namespace

LauncherSession::LauncherSession(const RunnerCommand& command, std::size_t outbox_bytes,
                                 const Preparation& preparation)
    : outbox_(outbox_bytes),
      outbox_bytes_(outbox_bytes),
      process_(command, outbox_.descriptor()),
      forwarding_([this] {
        ++requests_;
        ::kill(process_.id(), kWhereaboutsSignal);
      }) {
  process_.send(preparation);
}

bool LauncherSession::expect(const LaunchTask& task) {
  process_.send(ExpectedTask{task});
  if (has_opened_) return true;
  try {
    const std::optional<Report> report = process_.next();
    has_opened_ = report && std::holds_alternative<Opened>(*report);
  } catch (const Error&) {
    has_opened_ = false;
  }
  return has_opened_;
}

bool LauncherSession::is_waiting() { return process_.is_silent(); }

void LauncherSession::assign(const LaunchTask& task, const driver::DeviceInfo& device,
                             const CheckedSizes& sizes, Keys& keys) {
  const LaunchPlan plan{.on_gpu = !device.emulated,
                        .is_checked = task.checked,
                        .has_incumbent = task.incumbent.has_value(),
                        .has_library = times_library(task),
                        .times_only = task.times_only,
                        .samples = task.samples,
                        .depth = task.depth};
  account_ = std::make_unique<LaunchAccount>(sizes, plan, keys);
  outbox_bytes_ = sizes.output_bytes();
  // At each size, and once more at the one that is timed.
  most_codes_ = 3 + static_cast<int>(sizes.further.size());
  launcher_phases_ = LauncherPhases(plan.has_incumbent ? LauncherPhases::Compared::with_incumbent
                                                       : LauncherPhases::Compared::with_none);
  process_.send(task);
}

std::optional<Timing> LauncherSession::get_ready(SessionListener& listener) {
  listener_ = &listener;
  is_held_ = true;
  while (!is_compiled_) {
    if (Ended ended = take_next()) return ended;
  }
  return std::nullopt;
}

Timing LauncherSession::follow(SessionListener& listener, std::optional<double> device_worked_at) {
  listener_ = &listener;
  if (std::exchange(is_held_, false) && is_compiled_) {
    process_.send(start_launching(device_worked_at));
  }
  for (;;) {
    if (Ended ended = take_next()) return *std::move(ended);
  }
}

LauncherSession::Ended LauncherSession::take_next() {
  std::optional<Report> report;
  try {
    report = process_.next();
  } catch (const Error& error) {
    return disbelieved(error.what());
  }
  if (!report) return lost();
  return std::visit([this](auto& what) { return take(what); }, *report);
}

void LauncherSession::dismiss() const { ::kill(-process_.id(), SIGKILL); }

LauncherSession::Ended LauncherSession::take(const Phase& phase) {
  if (!launcher_phases_.enter(phase)) return disbelieved("it enters a phase out of turn");
  has_begun_ = has_begun_ || phase != Phase::harness;
  phase_ = phase;
  listener_->entered(phase);
  return std::nullopt;
}

LauncherSession::Ended LauncherSession::take(const Code& code) {
  if (++codes_ > most_codes_) return disbelieved("it runs one code after another");
  listener_->code_is(code);
  return std::nullopt;
}

LauncherSession::Ended LauncherSession::take(const Whereabouts& whereabouts) {
  if (++answers_ > requests_) return disbelieved("it answers a question that was not asked");
  listener_->stands_at(whereabouts);
  return std::nullopt;
}

LauncherSession::Ended LauncherSession::take(const Opened& /*report*/) {
  if (std::exchange(is_open_, true) || is_compiled_) return disbelieved("it opens a device twice");
  listener_->opened();
  return std::nullopt;
}

LauncherSession::Ended LauncherSession::take(Compiled& compiled) {
  if (std::exchange(is_compiled_, true)) return disbelieved("it compiles twice");
  listener_->compiled(compiled);
  if (!compiled.outbox.empty()) {
    if (const driver::Device* const device = listener_->judging_device()) {
      inbox_ = DeviceInbox::open(*device, compiled.outbox, outbox_bytes_);
    }
  }
  if (!is_held_) process_.send(start_launching());
  return std::nullopt;
}

LauncherSession::Ended LauncherSession::take(const KeyRequest& request) {
  const auto key = account_->draw(request.launch);
  if (!key) return disbelieved("it requests a key for a launch that is not due");
  listener_->begins(request.launch);
  process_.send(KeyAnswer{hexadecimal(*key)});
  return std::nullopt;
}

LauncherSession::Ended LauncherSession::take(const Delivered& delivered) {
  LaunchAccount::CopyOutputs copy;
  if (listener_->is_judged(delivered)) {
    copy = [this](LaunchRecord& record) { take_outputs(record); };
  }
  if (const std::string why = account_->deliver(delivered, copy); !why.empty()) {
    return disbelieved(why);
  }
  process_.send(GoOn{});
  // While the launcher makes its next inputs.
  if (!inbox_) outbox_.prepare(account_->sized());
  return std::nullopt;
}

void LauncherSession::take_outputs(LaunchRecord& record) {
  if (inbox_) {
    record.on_device =
        std::make_shared<const std::vector<driver::Buffer>>(inbox_->take(*record.sized));
  } else {
    record.outputs = outbox_.take(*record.sized);
  }
}

LauncherSession::Ended LauncherSession::take(const LaunchOver& /*report*/) {
  if (const std::string why = account_->refuse_look(); !why.empty()) return disbelieved(why);
  account_->note_look();
  listener_->launch_over();
  return std::nullopt;
}

LauncherSession::Ended LauncherSession::take(const SampleTaken& sample) {
  if (const std::string why = account_->refuse_sample(); !why.empty()) return disbelieved(why);
  const bool counts = listener_->counts(sample);
  account_->note_sample(counts ? LaunchAccount::Sampled::counts : LaunchAccount::Sampled::is_void);
  process_.send(SampleAnswer{counts});
  return std::nullopt;
}

LauncherSession::Ended LauncherSession::take(const BatchDone& /*report*/) {
  if (const std::string why = account_->refuse_batch(); !why.empty()) return disbelieved(why);
  account_->note_batch();
  if (auto rejected = listener_->batch_done(*account_)) return *std::move(rejected);
  listener_->entered(phase_);
  process_.send(GoOn{});
  return std::nullopt;
}

LauncherSession::Ended LauncherSession::take(const ChecksDone& /*report*/) {
  if (!launcher_phases_.finish_checks()) return disbelieved("its checks are done out of turn");
  if (const std::string why = account_->missing_checks(); !why.empty()) return disbelieved(why);
  if (auto rejected = listener_->checked(*account_)) return *std::move(rejected);
  account_->begin_timing();
  timing_began_ = std::chrono::steady_clock::now();
  phase_ = Phase::time;
  listener_->entered(Phase::time);
  process_.send(GoOn{});
  return std::nullopt;
}

LauncherSession::Ended LauncherSession::take(Timed& timed) {
  if (!launcher_phases_.is_over()) return disbelieved("it reports times too early");
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - timing_began_;
  if (const std::string why = account_->misfit(timed, elapsed); !why.empty()) {
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
  // It has nothing to do with repositories.
  if (failure.stop == Stop::repository || (has_begun_ && failure.stop == Stop::internal)) {
    return disbelieved(failure.what);
  }
  throw Error(failure.stop, failure.what);
}

// It ended without an answer.
Rejection LauncherSession::lost() {
  const std::optional<Ending> known = process_.ending();
  lost_in_ = phase_;
  // Ours closes its channel by ending.
  if (!known && has_begun_) return disbelieved("it closed its channel, but did not end");
  const Ending ending = known.value_or(Ending{.signal = SIGKILL});
  if (ending.signal == 0 && has_begun_) {
    return {Verdict::crashed,
            fmt::format("the process in which the kernel ran ended with code {}", ending.code),
            process_.printed(), Cause::unknown};
  }
  Result loss = ended_without_result(phase_, ending, process_.printed());
  return {loss.verdict, std::move(loss.reason), std::move(loss.detail), loss.cause};
}

}  // namespace autokernel::trial
