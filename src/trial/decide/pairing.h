// The bookkeeping of a paired comparison: the times so far, whether more are needed, and the
// outcome. The rule itself is in autokernel/trial/decision.h.
#pragma once

#include <string>
#include <vector>

#include "autokernel/trial/decision.h"
#include "autokernel/trial/result.h"
#include "trial/decide/slow_minority.h"
#include "trial/inputs/inputs.h"

namespace autokernel::trial {

class Pairing {
 public:
  // `min_gain` is relative and above 0; `incumbent_name` names the incumbent in messages.
  // `until`: which conclusion ends the sampling.
  enum class Until : std::uint8_t { decided, precise };
  Pairing(std::string incumbent_name, double min_gain, Until until = Until::decided)
      : incumbent_name_(std::move(incumbent_name)), min_gain_(min_gain), until_(until) {}

  [[nodiscard]] const std::string& incumbent_name() const { return incumbent_name_; }

  // Both were launched on inputs of that kind.
  void add_pair(double candidate_us, double incumbent_us, InputKind inputs);
  // Whether the pairs so far leave the question open, and more would help.
  [[nodiscard]] bool needs_more() const { return needs_more_; }

  // Whether the candidate has been faster by what counts so far, whatever that is worth.
  [[nodiscard]] bool looks_faster() const;

  // The incumbent's times with no candidate in the process: before it was loaded, and after it was
  // gone.
  void add_alone(std::vector<double> times_us) { alone_us_.push_back(std::move(times_us)); }

  // Of at least two pairs. A gain that is disturbed is found, but inconclusive: who makes the
  // incumbent slower looks faster.
  [[nodiscard]] PairedComparison comparison() const;

 private:
  // All pairs, or those on the inputs where the gain is less.
  [[nodiscard]] std::vector<double> counted() const;
  [[nodiscard]] PairedEstimate estimated() const { return estimate(counted()); }
  [[nodiscard]] Conclusion conclusion(Looking looking) const;
  [[nodiscard]] bool is_over() const;

  std::string incumbent_name_;
  double min_gain_;
  Until until_;
  bool needs_more_ = true;
  int next_look_ = 0;
  std::vector<double> incumbent_us_;
  std::vector<double> log_ratios_;  // of incumbent to candidate
  std::vector<InputKind> inputs_;   // of each pair
  std::vector<std::vector<double>> alone_us_;
};

}  // namespace autokernel::trial
