#include "trial/launch_account.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "trial/check.h"

namespace autokernel::trial {
namespace {

// Microseconds that a launch may take: from a thousandth of a clock's tick to days, between which
// logarithms and their squares stay finite.
constexpr double kLeastTime = 1e-3;
constexpr double kMostTime = 1e12;
// "opponent's launch 2000" is the longest of ours.
constexpr std::size_t kLongestName = 100;

[[nodiscard]] bool are_times(std::span<const double> times) {
  return std::ranges::all_of(times,
                             [](double time) { return time >= kLeastTime && time <= kMostTime; });
}

// On a GPU they are numbered.
[[nodiscard]] bool is_warm_up(const std::string& launch) { return launch.starts_with(kWarmUpName); }

}  // namespace

std::optional<Key> LaunchAccount::draw(const std::string& launch) {
  const bool is_judged = launch.starts_with("check launch") || launch.starts_with("timed launch");
  if (launch.size() > kLongestName || (is_judged && is_owed_)) return std::nullopt;
  is_owed_ = is_owed_ || is_judged;
  key_for_ = launch;
  key_ = keys_->draw(launch);
  return key_;
}

// The launch that may be delivered next: the next check, a warm-up, or a timed launch, which is
// either the next one or the last one once more.
std::optional<LaunchAccount::Planned> LaunchAccount::planned(const std::string& launch) const {
  const cases::Case& problem = *timed_->problem;
  if (!is_timing_) {
    int number = 0;
    for (const Check& check : check_plan(problem)) {
      const std::string first = check_name(number + 1);
      for (int i = 0; i < check.launches; ++i, ++number) {
        if (number == checks_) return Planned{check_name(number + 1), check.recipe, first};
      }
    }
    return std::nullopt;
  }
  if (is_warm_up(launch)) return Planned{launch, Recipe::declared, launch};
  for (const int number : {timed_launches_, timed_launches_ + 1}) {
    if (number < 1 || launch != timed_name(number)) continue;
    return Planned{launch, sampled_recipe(problem, number - 1), launch};
  }
  return std::nullopt;
}

std::string LaunchAccount::accept(const Delivered& delivered) {
  const SizedCase& sized = this->sized();
  const std::optional<Planned> next = planned(delivered.launch);
  if (!next || next->name != delivered.launch || next->recipe != delivered.recipe ||
      delivered.size != sized.size_name) {
    return fmt::format("it delivered '{}', which was not to be launched then", delivered.launch);
  }
  if (next->key_of != key_for_) {
    return fmt::format("it delivered '{}' on the key of '{}'", delivered.launch, key_for_);
  }
  is_owed_ = false;
  if (!is_timing_) {
    ++checks_;
  } else {
    // One key, one launch; only checks are repeated.
    key_for_.clear();
    if (is_warm_up(delivered.launch)) {
      warmed_up_ = true;
    } else {
      timed_launches_ =
          delivered.launch == timed_name(timed_launches_) ? timed_launches_ : timed_launches_ + 1;
    }
  }
  accepted_ = delivered;
  return {};
}

void LaunchAccount::keep(std::vector<Bytes> outputs) {
  records_.push_back({&sized(), accepted_.recipe, key_, accepted_.launch, std::move(outputs)});
}

std::string LaunchAccount::missing_checks() const {
  int wanted = 0;
  for (const Check& check : check_plan(*timed_->problem)) wanted += check.launches;
  if (checks_ == wanted) return {};
  return fmt::format("it delivered {} of {} launches to be checked", checks_, wanted);
}

std::string LaunchAccount::misfit(const Timed& timed, bool has_opponent) const {
  const auto launches = static_cast<std::size_t>(timed_launches_);
  if (!warmed_up_) return "it delivered no warm-up launch";
  if (launches < (has_opponent ? 2U : 1U)) return "it delivered too few timed launches";
  if (timed.samples_us.size() != launches || timed.sampled_on.size() != launches) {
    return fmt::format("it has {} times of {} launches", timed.samples_us.size(), launches);
  }
  for (std::size_t i = 0; i < launches; ++i) {
    if (timed.sampled_on[i] != sampled_recipe(*timed_->problem, static_cast<int>(i))) {
      return fmt::format("{} was on other inputs", timed_name(static_cast<int>(i) + 1));
    }
  }
  const std::size_t opponents = has_opponent ? launches : 0;
  if (timed.opponent_us.size() != opponents || timed.alone_us.size() != (has_opponent ? 2U : 0U)) {
    return "it has not all times of the incumbent";
  }
  const bool sound = are_times(timed.samples_us) && are_times(timed.opponent_us) &&
                     are_times(timed.library_us) &&
                     std::ranges::all_of(timed.alone_us, [](const std::vector<double>& times) {
                       return !times.empty() && are_times(times);
                     });
  return sound ? "" : "it has times that are none";
}

}  // namespace autokernel::trial
