#include "trial/time/stopwatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <utility>

#include "autokernel/trial/decision.h"

namespace autokernel::trial {
namespace {

using Clock = std::chrono::steady_clock;

enum class Turn : std::uint8_t { candidate, library, incumbent };

// In random order: the first of them finds other caches, and another clock.
std::array<Turn, 3> drawn_order() {
  std::array<Turn, 3> order = {Turn::candidate, Turn::library, Turn::incumbent};
  const Key drawn = draw_key();
  std::swap(order[0], order[drawn.words[0] % 3]);
  std::swap(order[1], order[1 + drawn.words[1] % 2]);
  return order;
}

}  // namespace

std::string timed_name(int number) { return launch_name(LaunchKind::timed, number); }

std::variant<std::unique_ptr<Stopwatch::Loaded>, Rejection> Stopwatch::load(
    const compile::Program& program) const {
  auto loading = Candidate::load(task_.device, program, task_.sized);
  if (auto* rejected = std::get_if<Rejection>(&loading)) return std::move(*rejected);
  return std::make_unique<Loaded>(std::get<Candidate>(std::move(loading)), *this);
}

Launching Stopwatch::sample_incumbent(Loaded& incumbent, InputKind input_kind) {
  NoRecords not_judged;  // it was, when it was the candidate
  return sample(incumbent.launcher, input_kind,
                launch_name(LaunchKind::incumbent, ++incumbent_launches_), not_judged);
}

std::variant<std::vector<double>, Rejection> Stopwatch::time_alone(TimedIncumbent& incumbent) {
  auto loading = load(incumbent.program);
  if (auto* rejected = std::get_if<Rejection>(&loading)) return std::move(*rejected);
  Loaded& loaded = *std::get<std::unique_ptr<Loaded>>(loading);
  NoRecords not_judged;
  if (auto rejected = warm_up(loaded.launcher, LaunchKind::incumbent_warm_up, not_judged)) {
    return *std::move(rejected);
  }
  std::vector<double> times_us;
  times_us.reserve(static_cast<std::size_t>(alone_samples_));
  const auto begin = Clock::now();
  for (int i = 0; i < alone_samples_; ++i) {
    if (i > 0 && task_.alone_seconds && seconds_since(begin) >= *task_.alone_seconds) break;
    auto sampled = sample_incumbent(loaded, sampled_input_kind(*task_.sized.problem, i));
    if (auto* rejected = std::get_if<Rejection>(&sampled)) return std::move(*rejected);
    times_us.push_back(std::get<Launched>(sampled).microseconds);
  }
  return times_us;
}

std::optional<Rejection> Stopwatch::take_samples(const compile::Program& candidate,
                                                 TimedIncumbent* incumbent, const Caps& caps,
                                                 Timed& timed, const Last& last) {
  auto begin = Clock::now();
  int taken = 0;
  const auto wants_samples = [&] {
    return taken == 0 || (taken < task_.samples && seconds_since(begin) < caps.seconds);
  };
  const auto wants_pairs = [&] {
    if (incumbent == nullptr) return false;
    if (taken < 2) return true;
    const double seconds = seconds_since(begin);
    if (task_.recording_seconds) return seconds < *task_.recording_seconds;
    if (!incumbent->pairing.needs_more() || seconds >= caps.promising_seconds) return false;
    return seconds < caps.seconds || taken < kFewestPairs || incumbent->pairing.looks_faster();
  };
  const auto needs_more = [&] {
    return taken < kMostLaunches && (wants_samples() || wants_pairs());
  };
  const auto beside = [&](const Rejection& rejection) {
    return Rejection{Verdict::incorrect,
                     fmt::format("{} ran without the candidate, and does not beside it: {}",
                                 incumbent->pairing.incumbent_name(), rejection.reason),
                     rejection.detail};
  };

  const bool candidate_begins = draw_key().words[0] % 2 == 0;
  for (int round = 0;; ++round) {
    // Both are loaded anew, the other one first: where code and buffers happen to lie makes up to
    // 0.1 us on an H200 and 2.5 % of a launch on the emulated device, and they lie differently
    // then. A round has so few pairs that such an offset does not last (docs/decision.md), as many
    // as loading is worth. Whoever is loaded first lies where the other would.
    std::unique_ptr<Loaded> ours;
    std::unique_ptr<Loaded> theirs;
    const bool candidate_first = candidate_begins == (round % 2 == 0);
    for (const bool load_candidate : {candidate_first, !candidate_first}) {
      if (!load_candidate && incumbent == nullptr) continue;
      auto loading = load(load_candidate ? candidate : incumbent->program);
      if (auto* rejected = std::get_if<Rejection>(&loading)) {
        return load_candidate ? std::move(*rejected) : beside(*rejected);
      }
      (load_candidate ? ours : theirs) = std::get<std::unique_ptr<Loaded>>(std::move(loading));
    }
    if (auto rejected = warm_up(ours->launcher, LaunchKind::warm_up, task_.judged)) return rejected;
    if (theirs) {
      NoRecords not_judged;
      if (auto rejected = warm_up(theirs->launcher, LaunchKind::incumbent_warm_up, not_judged)) {
        return beside(*rejected);
      }
    }
    const int end = theirs             ? taken + kPairsPerRound
                    : task_.times_only ? taken + kLaunchesPerRound
                                       : kMostLaunches;
    const int first = taken;
    for (; taken < end && needs_more(); ++taken) {
      if (taken > first && task_.judged.is_full()) break;
      const InputKind input_kind = sampled_input_kind(*task_.sized.problem, taken);
      double candidate_us = 0;
      double incumbent_us = 0;
      for (const Turn turn : drawn_order()) {
        if (turn == Turn::library) {
          if (taken < task_.samples && samples_library(taken)) {
            timed.library_us.push_back(sample_library());
          }
        } else if (turn == Turn::candidate) {
          auto sampled = sample(ours->launcher, input_kind, timed_name(taken + 1), task_.judged);
          if (auto* rejected = std::get_if<Rejection>(&sampled)) return std::move(*rejected);
          candidate_us = std::get<Launched>(sampled).microseconds;
        } else if (theirs) {
          auto sampled = sample_incumbent(*theirs, input_kind);
          if (const auto* rejected = std::get_if<Rejection>(&sampled)) return beside(*rejected);
          incumbent_us = std::get<Launched>(sampled).microseconds;
        }
      }
      timed.samples_us.push_back(candidate_us);
      timed.sampled_on.push_back(input_kind);
      if (theirs) {
        timed.incumbent_us.push_back(incumbent_us);
        incumbent->pairing.add_pair(candidate_us, incumbent_us, input_kind);
      }
    }
    theirs.reset();
    if (!needs_more()) {
      timed.seconds = seconds_since(begin);
      return last ? last(*ours) : std::nullopt;
    }
    ours.reset();
    if (!task_.judged.is_full()) continue;
    const auto pause = Clock::now();
    task_.judged.have_judged();
    begin += Clock::now() - pause;
  }
}

}  // namespace autokernel::trial
