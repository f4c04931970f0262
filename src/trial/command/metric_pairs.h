// What pairs of runs say: one of the candidate and one of the incumbent each, and the metric of
// both. The rule is that of kernels (autokernel/trial/decision.h), and for fewer pairs than that
// needs, one that needs none of its averages. docs/commands.md states both.
#pragma once

#include <string>
#include <vector>

#include "autokernel/cases/command.h"
#include "autokernel/trial/decision.h"
#include "autokernel/trial/result.h"

namespace autokernel::trial {

// The fewest runs of each that a comparison of what varies can do with.
inline constexpr int kFewestRuns = 4;

class MetricPairs {
 public:
  explicit MetricPairs(const cases::Metric& metric) : metric_(&metric) {}

  void add(double candidate, double incumbent);
  [[nodiscard]] int count() const { return static_cast<int>(log_ratios_.size()); }
  // Whether it is time to look, and what is seen: `most` pairs there will be at most.
  [[nodiscard]] Conclusion look(double min_gain, int most);
  // What all pairs so far say: where there will be no more.
  [[nodiscard]] Conclusion conclusion(double min_gain) const;
  // Whether the logarithm of the ratio is surely at least, or surely less than, that. Of a few
  // pairs or many.
  [[nodiscard]] bool is_surely_at_least(double log_ratio) const;
  [[nodiscard]] bool is_surely_below(double log_ratio) const;

  struct Figures {
    double gain = 0, gain_low = 0, gain_high = 0;  // relative, with the 95 % interval
    double standard_error = 0;                     // of the logarithm
    double p_value = 1;
    int values = 0;
  };
  // Of at least two pairs, or of pairs that are all alike.
  [[nodiscard]] Figures figures() const;
  [[nodiscard]] const std::vector<double>& candidate() const { return candidate_; }
  [[nodiscard]] const std::vector<double>& incumbent() const { return incumbent_; }
  [[nodiscard]] const std::vector<double>& log_ratios() const { return log_ratios_; }

 private:
  const cases::Metric* metric_;
  std::vector<double> candidate_;
  std::vector<double> incumbent_;
  std::vector<double> log_ratios_;  // above 0: the candidate is better
  int next_look_ = 0;
};

// "-12.3 % median_us", as it changes: for a gain of a metric of which less or more is better.
[[nodiscard]] std::string change_text(const cases::Metric& metric, double gain);
// Of a comparison, as reasons have it: with its interval where there is one.
[[nodiscard]] std::string figures_text(const cases::Metric& metric,
                                       const MetricPairs::Figures& figures,
                                       const std::string& incumbent, int pairs);

}  // namespace autokernel::trial
