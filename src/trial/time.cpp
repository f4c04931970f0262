#include "trial/time.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <utility>

namespace autokernel::trial {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Outputs stay in pageable host memory until the candidate is gone.
constexpr std::uint64_t kOutputMemory = 2ULL << 30;
// Enough for a mean that can be compared with that of the pairs, few enough to cost little.
constexpr int kAloneSamples = 20;

int launches_that_fit(const SizedCase& sized) {
  const std::uint64_t fitting = kOutputMemory / std::max<std::size_t>(1, sized.output_bytes());
  return static_cast<int>(std::clamp<std::uint64_t>(fitting, 1, 1U << 20U));
}

enum class Turn : std::uint8_t { candidate, library, rival };

// In an order that nobody can foresee: whoever comes first finds other caches, and another clock.
std::array<Turn, 3> drawn_order() {
  std::array<Turn, 3> order = {Turn::candidate, Turn::library, Turn::rival};
  const Key drawn = draw_key();
  std::swap(order[0], order[drawn.words[0] % 3]);
  std::swap(order[1], order[1 + drawn.words[1] % 2]);
  return order;
}

}  // namespace

Rival::Rival(Candidate loaded, const Stopwatch& stopwatch, Pairing between)
    : candidate(std::move(loaded)),
      launcher(stopwatch.launcher(candidate)),
      pairing(std::move(between)) {}

std::variant<double, Rejection> Stopwatch::sample_rival(Rival& rival) {
  std::vector<LaunchRecord> not_judged;  // it was, when it was the candidate
  Launching launching =
      sample(rival.launcher, fmt::format("opponent's launch {}", ++rival_launches_), not_judged);
  if (auto* rejected = std::get_if<Rejection>(&launching)) return std::move(*rejected);
  return std::get<Launched>(launching).microseconds;
}

std::optional<Rejection> Stopwatch::time_alone(Rival& rival) {
  std::vector<LaunchRecord> not_judged;
  if (rival_launches_ == 0) {
    if (auto rejected = warm_up(rival.launcher, "opponent's warm-up launch", not_judged)) {
      return rejected;
    }
  }
  std::vector<double> times_us;
  times_us.reserve(kAloneSamples);
  for (int i = 0; i < kAloneSamples; ++i) {
    auto sampled = sample_rival(rival);
    if (auto* rejected = std::get_if<Rejection>(&sampled)) return std::move(*rejected);
    times_us.push_back(std::get<double>(sampled));
  }
  rival.pairing.add_alone(std::move(times_us));
  return std::nullopt;
}

std::optional<Rejection> Stopwatch::take_samples(Launcher& candidate, Rival* rival,
                                                 const Caps& caps, Timed& timed) {
  const int fitting = launches_that_fit(task_.sized);
  const auto begin = Clock::now();
  const auto wants_samples = [&](int taken) {
    return taken == 0 || (taken < task_.samples && seconds_since(begin) < caps.samples_seconds);
  };
  const auto wants_pairs = [&](int taken) {
    return rival != nullptr && (taken < 2 || (rival->pairing.wants_more() &&
                                              seconds_since(begin) < caps.pairs_seconds));
  };
  for (int taken = 0; taken < fitting && (wants_samples(taken) || wants_pairs(taken)); ++taken) {
    double candidate_us = 0;
    double rival_us = 0;
    for (const Turn turn : drawn_order()) {
      if (turn == Turn::library) {
        if (has_library() && taken < task_.samples) timed.library_us.push_back(sample_library());
      } else if (turn == Turn::candidate) {
        Launching launching =
            sample(candidate, fmt::format("timed launch {}", taken + 1), timed.records);
        if (auto* rejected = std::get_if<Rejection>(&launching)) return std::move(*rejected);
        auto& launched = std::get<Launched>(launching);
        candidate_us = launched.microseconds;
        timed.records.push_back(std::move(launched.record));
      } else if (rival != nullptr) {
        auto sampled = sample_rival(*rival);
        if (const auto* rejected = std::get_if<Rejection>(&sampled)) {
          return Rejection{Verdict::incorrect,
                           fmt::format("{} ran without the candidate, and does not beside it: {}",
                                       rival->pairing.against(), rejected->reason),
                           rejected->detail};
        }
        rival_us = std::get<double>(sampled);
      }
    }
    timed.samples_us.push_back(candidate_us);
    if (rival != nullptr) rival->pairing.add_pair(candidate_us, rival_us);
  }
  timed.seconds = seconds_since(begin);
  const auto taken = static_cast<int>(timed.samples_us.size());
  if (taken == fitting && (wants_samples(taken) || wants_pairs(taken))) {
    timed.warnings.push_back(
        fmt::format("outputs of {} MiB leave host memory for no more than {} samples",
                    task_.sized.output_bytes() >> 20U, fitting));
  }
  return std::nullopt;
}

}  // namespace autokernel::trial
