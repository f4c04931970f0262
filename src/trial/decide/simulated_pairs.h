// The rule of autokernel/trial/decision.h applied to simulated pairs: drawn from a recording
// of a kernel against itself, or from made-up noise.
#pragma once

#include <functional>
#include <random>
#include <span>
#include <vector>

#include "autokernel/trial/decision.h"

namespace autokernel::trial {

// Pairs of a recording by circular block bootstrap: pairs in a row from anywhere in it, so that
// what lasts for several pairs lasts here, too. As both kernels of a recording are the same, what
// it found between them is taken off, and which of them is the candidate is drawn for each block.
// References must live longer.
class ResampledPairs {
 public:
  ResampledPairs(std::span<const double> log_ratios, std::mt19937_64& random);

  // A trial has nothing to do with the one before.
  void begin() { left_ = 0; }
  // The logarithm of the next ratio.
  [[nodiscard]] double next();
  // The next `pairs` of them.
  [[nodiscard]] std::vector<double> stretch(int pairs);

 private:
  std::span<const double> log_ratios_;
  double mean_ = 0;
  std::mt19937_64& random_;
  std::uniform_int_distribution<std::size_t> any_;
  std::bernoulli_distribution swapped_;
  std::size_t at_ = 0;
  std::size_t left_ = 0;
  double sign_ = 1;
};

struct SimulatedDecision {
  Conclusion conclusion = Conclusion::undecided;
  PairedEstimate estimate;
};
// One comparison: looks until there is a conclusion, or as many pairs as there may be. `next_pair`
// gives the logarithm of the next ratio.
[[nodiscard]] SimulatedDecision simulate_decision(const std::function<double()>& next_pair,
                                                  double min_gain);

}  // namespace autokernel::trial
