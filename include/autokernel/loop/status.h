// Where a run stands, worked out from its ledger: what an agent that starts with no memory needs.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include "autokernel/ledger/entry.h"

namespace autokernel::loop {

// So many experiments in a row without a gain: constants have been tried, the structure has not.
inline constexpr int kPlateau = 6;

struct Counts {
  int kept = 0;       // the baseline is not among them
  int discarded = 0;  // correct, and not faster
  int failed = 0;
  [[nodiscard]] int experiments() const { return kept + discarded + failed; }
};

struct Status {
  ledger::RunStarted run;
  ledger::Experiment baseline;
  ledger::Experiment best;                      // the last one kept; the baseline where none was
  std::vector<ledger::Experiment> experiments;  // all, the baseline first
  Counts counts;
  int streak = 0;         // experiments since the best
  int turns_in_vain = 0;  // an agent's, since the last experiment
  bool finished = false;  // and no experiment was made since
  // What the last `loop finish` measured, if it was of this best; experiments that were not kept
  // may have been made since.
  std::optional<ledger::RunFinished> confirmed;
  // Files that may not change and have; a step refuses to go on. "kernels/case.toml (modified)"
  std::string strayed;
  std::string under_way;  // who holds the lock, and for what; empty: nobody
  double hours = 0;       // since the run was started

  // How much faster the best is: the product of the kept gains, each measured in pairs. None where
  // nothing was kept.
  [[nodiscard]] std::optional<double> gain_over_baseline()
      const;  // relative: 0.5 for half the time
  // The best's time on the scale that begins with the baseline's median (ledger::TimeScale): the
  // baseline's, less gain_over_baseline(). Its own median is of another process than the
  // baseline's.
  [[nodiscard]] std::optional<double> best_us() const;
  // Whether its times are those of a CPU.
  [[nodiscard]] bool is_emulated() const;
  // Whether small changes have stopped paying: many experiments in a row without a gain.
  [[nodiscard]] bool is_plateau() const;
  // Why no more experiments should be made: budget or plateau; empty: go on.
  [[nodiscard]] std::string why_stop() const;
  [[nodiscard]] bool is_budget_used_up() const;
  // The last experiments, at most so many, the newest first. The baseline is none of them; where
  // the ledger was cut there is not even that.
  [[nodiscard]] auto latest(std::size_t most) const {
    const std::size_t all = experiments.empty() ? 0 : experiments.size() - 1;
    return std::span(experiments).last(std::min(most, all)) | std::views::reverse;
  }
  // One sentence: what to do now.
  [[nodiscard]] std::string next() const;
};

}  // namespace autokernel::loop
