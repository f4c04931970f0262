// The bookkeeping of a paired comparison: times as they come in, whether more are wanted, and what
// they say in the end. The rule itself is in trial/decide/decision.h.
#pragma once

#include <string>
#include <vector>

#include "autokernel/trial/result.h"
#include "trial/decide/decision.h"
#include "trial/decide/slow_minority.h"
#include "trial/inputs/inputs.h"

namespace autokernel::trial {

class Pairing {
 public:
  // `min_gain` is relative and above 0; `against` names the opponent in messages.
  Pairing(std::string against, double min_gain)
      : against_(std::move(against)), min_gain_(min_gain) {}

  [[nodiscard]] const std::string& against() const { return against_; }

  // Both were launched on inputs of that kind.
  void add_pair(double candidate_us, double opponent_us, Recipe inputs);
  // Whether the pairs so far leave the question open, and more would help.
  [[nodiscard]] bool wants_more() const { return wants_more_; }

  // Whether the candidate has been faster by what counts so far, whatever that is worth.
  [[nodiscard]] bool looks_faster() const;

  // The opponent's times with no candidate in the process: before it was loaded, and after it was
  // gone.
  void add_alone(std::vector<double> times_us) { alone_us_.push_back(std::move(times_us)); }

  // Of at least two pairs. A gain that is disturbed is found, but inconclusive: who makes the
  // opponent slower looks faster.
  [[nodiscard]] PairedComparison comparison() const;

 private:
  // All pairs, or those on the inputs where the gain is less.
  [[nodiscard]] std::vector<double> counted() const;
  [[nodiscard]] PairedEstimate estimated() const { return estimate(counted()); }
  [[nodiscard]] Conclusion conclusion(Looking looking) const;

  std::string against_;
  double min_gain_;
  bool wants_more_ = true;
  int next_look_ = 0;
  std::vector<double> opponent_us_;
  std::vector<double> log_ratios_;  // of opponent to candidate
  std::vector<Recipe> inputs_;      // of each pair
  std::vector<std::vector<double>> alone_us_;
};

}  // namespace autokernel::trial
