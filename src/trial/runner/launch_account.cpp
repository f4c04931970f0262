#include "trial/runner/launch_account.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <ranges>
#include <span>

#include "trial/supervise/text_bounds.h"

namespace autokernel::trial {
namespace {

// Microseconds that a launch may take: from a thousandth of a clock's tick to days, between which
// logarithms and their squares stay finite.
constexpr double kLeastTime = 1e-3;
constexpr double kMostTime = 1e12;
// Four for each pair of launches that fit (stopwatch.cpp), repeats and warm-ups among them. They
// are all in the result, which has to be a message that can be read.
constexpr int kMostKeys = 1 << 19;
// Repeats whose outputs find no room, and which nobody judges. An honest launcher has one for each
// variable of the module that a launch is the first to change, and for each gate that gave up;
// whoever may repeat without end waits for inputs that suit.
constexpr int kMostReplaced = 64;
// An incumbent is loaded alone before the candidate and after it.
constexpr int kLoadsAlone = 2;
// More than either device takes to say how fast an incumbent is alone.
constexpr int kMostAlone = 100;
// What a run of a kernel queues: 16 launches, the zeroing of a workspace, and the setting back of
// variables, each of which takes a GPU longer than this.
constexpr int kMostQueuedByDeclaration = 17;
constexpr double kLeastQueuedMicroseconds = 0.5;

[[nodiscard]] bool is_time(double time) { return time >= kLeastTime && time <= kMostTime; }
[[nodiscard]] bool are_times(std::span<const double> times) {
  return std::ranges::all_of(times, is_time);
}
[[nodiscard]] bool is_time(const std::optional<double>& time) { return time && is_time(*time); }

// Of a kernel that takes so long when it is launched again and again.
[[nodiscard]] bool is_row(const std::optional<HostRow>& row, double warm_us) {
  const double most_queued = kMostQueuedByDeclaration + warm_us / kLeastQueuedMicroseconds;
  return row && is_time(row->microseconds) && row->launches == row_launches(warm_us) &&
         row->queued >= 1 && row->queued <= most_queued;
}

}  // namespace

std::optional<Key> LaunchAccount::draw(const std::string& launch) {
  const auto named = named_launch(launch);
  if (!named || keys_drawn_ == kMostKeys || !is_to_be_drawn(*named)) return std::nullopt;
  ++keys_drawn_;
  note_draw(*named);
  key_for_ = launch;
  key_ = keys_->draw(launch);
  return key_;
}

bool LaunchAccount::is_to_be_drawn(const NamedLaunch& launch) const {
  const int rounds =
      1 + timed_launches_ / (plan_.times_only ? kLaunchesPerRound : kPairsPerRound) + batches_;
  switch (launch.kind) {
    case LaunchKind::check: {
      const auto next = planned_check();
      return !is_timing_ && !is_owed_ && next && next->key_of == next->name &&
             launch.number == checks_ + 1;
    }
    case LaunchKind::warm_up:
      return is_timing_ && is_next(warm_ups_, launch.number, rounds);
    case LaunchKind::timed:
      return is_timing_ && !is_owed_ && !is_overfull() && launch.number > judged_up_to_ &&
             is_next(timed_series_, launch.number, kMostLaunches);
    case LaunchKind::warm:
      return is_timing_ && plan_.on_gpu &&
             is_next(warm_series_, launch.number, warm_samples(plan_.times_only));
    case LaunchKind::incumbent_warm_up:
      return plan_.has_incumbent &&
             is_next(incumbent_warm_ups_, launch.number, rounds + kLoadsAlone);
    case LaunchKind::incumbent:
      return plan_.has_incumbent &&
             is_next(incumbent_series_, launch.number, kMostLaunches + kLoadsAlone * kMostAlone);
    case LaunchKind::library:
      return plan_.has_library && !has_library_key_ && launch.number == 0;
  }
  return false;
}

bool LaunchAccount::is_next(const Series& series, int number, int most) const {
  if (number < 1 || number > most) return false;
  if (number == series.last) return true;
  const bool is_done = series.last == 0 || !plan_.on_gpu || series.counts;
  return number == series.last + 1 && is_done;
}

// On a GPU they are numbered; on the emulated device one is enough, and has no number.
bool LaunchAccount::is_next(const WarmUps& warm_ups, int number, int loads) const {
  if (number <= 1) return number == (plan_.on_gpu ? 1 : 0) && warm_ups.loads < loads;
  return plan_.on_gpu && number == warm_ups.last + 1 && number <= kMostWarmUps;
}

void LaunchAccount::note_draw(const NamedLaunch& launch) {
  is_owed_ = is_owed_ || launch.kind == LaunchKind::check || launch.kind == LaunchKind::timed;
  has_library_key_ = has_library_key_ || launch.kind == LaunchKind::library;
  unasked_.reset();
  is_looked_at_ = false;
  if (Series* const series = series_of(launch.kind)) {
    *series = {.last = launch.number, .counts = false};
    unasked_ = launch.kind;
  }
  const bool is_first = launch.number <= 1;
  if (launch.kind == LaunchKind::warm_up) {
    warm_ups_ = {.loads = warm_ups_.loads + (is_first ? 1 : 0), .last = launch.number};
  }
  if (launch.kind == LaunchKind::incumbent_warm_up) {
    incumbent_warm_ups_ = {.loads = incumbent_warm_ups_.loads + (is_first ? 1 : 0),
                           .last = launch.number};
  }
}

LaunchAccount::Series* LaunchAccount::series_of(LaunchKind kind) {
  if (kind == LaunchKind::timed) return &timed_series_;
  if (kind == LaunchKind::incumbent) return &incumbent_series_;
  return kind == LaunchKind::warm ? &warm_series_ : nullptr;
}

std::optional<LaunchAccount::Planned> LaunchAccount::planned_check() const {
  const int number = checks_ + 1;
  for (const Check& check : checks_planned_) {
    if (number >= check.first + check.launches) continue;
    return Planned{check_name(number), check.input_kind, check_name(check.first), check.sized};
  }
  return std::nullopt;
}

// The launch that may be delivered next: the next check, the first warm-up after a kernel was
// loaded, or a timed launch, which is either the next one or the last one once more.
std::optional<LaunchAccount::Planned> LaunchAccount::planned(const NamedLaunch& launch) const {
  if (!is_timing_) return planned_check();
  if (launch.kind == LaunchKind::warm_up && launch.number <= 1) {
    std::string name = launch.number == 0 ? name_of(launch.kind) : launch_name(launch.kind, 1);
    return Planned{name, InputKind::declared, name, timed_};
  }
  const int number = launch.number;
  if (launch.kind != LaunchKind::timed || number <= judged_up_to_ ||
      (number != timed_launches_ && number != timed_launches_ + 1)) {
    return std::nullopt;
  }
  return Planned{timed_name(number), sampled_input_kind(*timed_->problem, number - 1),
                 timed_name(number), timed_};
}

const SizedCase& LaunchAccount::sized() const {
  if (is_timing_) return *timed_;
  const std::optional<Planned> next = planned_check();
  return next ? *next->sized : *timed_;
}

std::string LaunchAccount::deliver(const Delivered& delivered, const CopyOutputs& copy) {
  const auto named = named_launch(delivered.launch);
  const std::optional<Planned> next = named ? planned(*named) : std::nullopt;
  if (!next || next->name != delivered.launch || next->input_kind != delivered.input_kind ||
      delivered.size != next->sized->size_name) {
    return fmt::format("it delivered '{}', which was not due",
                       bounded(delivered.launch, kLongestName));
  }
  if (next->key_of != key_for_) {
    return fmt::format("it delivered '{}' on the key of '{}'", delivered.launch, key_for_);
  }
  is_owed_ = false;
  ++delivered_;
  bool is_repeat = false;
  if (!is_timing_) {
    ++checks_;
  } else {
    // One key, one launch; only checks are repeated.
    key_for_.clear();
    if (named->kind == LaunchKind::warm_up) {
      warmed_up_ = true;
    } else {
      is_repeat = named->number == timed_launches_;
      timed_launches_ = named->number;
    }
  }
  if (!copy) return {};
  const SizedCase& sized = *next->sized;
  LaunchRecord record{&sized, delivered.input_kind, key_, delivered.launch, {}};
  if (is_repeat && repeated_bytes_ + sized.output_bytes() > kRepeatedMemory) {
    return replace(std::move(record), copy);
  }
  if (is_repeat) repeated_bytes_ += sized.output_bytes();
  waiting_bytes_ += sized.output_bytes();
  copy(record);
  records_.push_back(std::move(record));
  return {};
}

// Outputs wait for the judge. Where there is no room for more of a launch that is repeated, the
// last ones are kept: those count.
std::string LaunchAccount::replace(LaunchRecord record, const CopyOutputs& copy) {
  if (++replaced_ > kMostReplaced) return "it repeats too many launches";
  auto latest_first = std::views::reverse(records_);
  const auto earlier = std::ranges::find(latest_first, record.name, &LaunchRecord::name);
  if (earlier == latest_first.end()) return {};  // nobody judges it
  earlier->outputs.clear();
  earlier->on_device.reset();
  copy(record);
  *earlier = std::move(record);
  return {};
}

// Beyond what is allowed to wait: repeats, and of each load the first warm-up and a launch.
bool LaunchAccount::is_overfull() const {
  return waiting_bytes_ > kWaitingMemory + kRepeatedMemory + 2 * timed_->output_bytes();
}

std::string LaunchAccount::refuse_batch() const {
  if (delivered_ == 0) return "it wants nothing to be judged";
  if (is_owed_) return "it has a key for a launch that it did not deliver";
  return {};
}

void LaunchAccount::note_batch() {
  if (is_timing_) {
    ++batches_;
    judged_up_to_ = timed_launches_;
  }
  begin_batch();
}

void LaunchAccount::begin_batch() {
  delivered_ = 0;
  waiting_bytes_ = 0;
}

std::string LaunchAccount::refuse_look() const {
  if (!plan_.on_gpu) return "it asks about a sample on a device that is not monitored";
  if (!unasked_ || is_looked_at_) return "it asks about a sample that was not launched";
  return {};
}

std::string LaunchAccount::refuse_sample() const {
  if (!plan_.on_gpu) return "it asks about a sample on a device that is not monitored";
  if (!unasked_) return "it asks about a sample that was not launched";
  if (is_owed_) return "it asks about a sample that was not delivered";
  return {};
}

void LaunchAccount::note_sample(Sampled sampled) {
  if (!unasked_) return;
  series_of(*unasked_)->counts = sampled == Sampled::counts;
  unasked_.reset();
}

std::string LaunchAccount::missing_checks() const {
  int wanted = 0;
  for (const Check& check : checks_planned_) wanted += check.launches;
  if (checks_ == wanted) return {};
  return fmt::format("it delivered {} of {} launches to be checked", checks_, wanted);
}

std::string LaunchAccount::misfit(const Timed& timed, std::chrono::duration<double> elapsed) const {
  if (std::string why = misfit_in_number(timed); !why.empty()) return why;
  const bool sound = are_times(timed.samples_us) && are_times(timed.incumbent_us) &&
                     are_times(timed.library_us) &&
                     std::ranges::all_of(timed.alone_us, [](const std::vector<double>& times) {
                       return !times.empty() && are_times(times);
                     });
  if (!sound) return "it reports invalid times";
  if (!(timed.seconds >= 0 && timed.seconds <= elapsed.count())) {
    return fmt::format("it claims to have timed for {} s of {:.3f} s", timed.seconds,
                       elapsed.count());
  }
  if (plan_.on_gpu) return misfit_of_gpu(timed);
  if (timed.warm_us || timed.host_row || timed.event_floor_us || timed.library_default_us) {
    return "it has figures of a GPU, and there is none";
  }
  return {};
}

std::string LaunchAccount::misfit_in_number(const Timed& timed) const {
  const auto launches = static_cast<std::size_t>(timed_launches_);
  if (!warmed_up_) return "it delivered no warm-up launch";
  if (launches < (plan_.has_incumbent ? 2U : 1U)) return "it delivered too few timed launches";
  if (is_owed_) return "it has a key for a launch that it did not deliver";
  if (timed.samples_us.size() != launches || timed.sampled_on.size() != launches) {
    return fmt::format("it has {} times of {} launches", timed.samples_us.size(), launches);
  }
  for (std::size_t i = 0; i < launches; ++i) {
    if (timed.sampled_on[i] != sampled_input_kind(*timed_->problem, static_cast<int>(i))) {
      return fmt::format("{} was on other inputs", timed_name(static_cast<int>(i) + 1));
    }
  }
  const std::size_t incumbents = plan_.has_incumbent ? launches : 0;
  const std::size_t alone = plan_.has_incumbent ? kLoadsAlone : 0;
  if (timed.incumbent_us.size() != incumbents || timed.alone_us.size() != alone) {
    return "times of the incumbent are missing";
  }
  const std::size_t incumbent_launches = std::accumulate(
      timed.alone_us.begin(), timed.alone_us.end(), incumbents,
      [](std::size_t sum, const std::vector<double>& times) { return sum + times.size(); });
  if (incumbent_launches != static_cast<std::size_t>(incumbent_series_.last)) {
    return fmt::format("it has {} times of {} launches of the incumbent", incumbent_launches,
                       incumbent_series_.last);
  }
  const auto each = static_cast<std::size_t>(launches_per_library_sample(plan_.on_gpu));
  const auto beside = std::min(launches, static_cast<std::size_t>(std::max(0, plan_.samples)));
  const std::size_t library = plan_.has_library ? (beside + each - 1) / each : 0;
  if (timed.library_us.size() != library) {
    return fmt::format("it has {} times of the library, and not {}", timed.library_us.size(),
                       library);
  }
  return {};
}

// What slows a GPU down was looked at after each launch that counts.
std::string LaunchAccount::misfit_of_gpu(const Timed& timed) const {
  if (!timed_series_.counts || (plan_.has_incumbent && !incumbent_series_.counts)) {
    return "it has a time of a launch after which the device was not checked";
  }
  if (warm_series_.last != warm_samples(plan_.times_only) || !warm_series_.counts ||
      !is_time(timed.warm_us)) {
    return "it has no time without a flush";
  }
  if (timed.library_default_us.has_value() != plan_.has_library ||
      (plan_.has_library && !is_time(timed.library_default_us))) {
    return "it has no time of the library with default settings";
  }
  const double floor_us = timed.event_floor_us.value_or(0);
  if (timed.event_floor_us.has_value() == plan_.times_only ||
      !(floor_us >= 0 && floor_us <= kMostTime)) {
    return "it has no time of an empty kernel";
  }
  if (!is_row(timed.host_row, timed.warm_us.value_or(0))) {
    return "it has no times by the host's clock";
  }
  return {};
}

}  // namespace autokernel::trial
