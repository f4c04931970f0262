// Trying the parameters that a kernel declares for tuning (Loop::autotune), without an agent.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "autokernel/loop/loop.h"

namespace autokernel::loop {

// exhaustive: all, in the order of the declarations. random: all, in an order of their own. bayes:
// where a model of what was measured expects the most.
enum class Strategy : std::uint8_t { exhaustive, random, bayes };

struct AutotuneOptions {
  Strategy strategy = Strategy::bayes;
  // Experiments of this search at most; none: as many as there are configurations.
  std::optional<int> most;
  std::uint64_t seed = 0;
};

// What is searched, and what of it is known already.
struct TuneSummary {
  // Name and values, as written.
  std::vector<std::pair<std::string, std::vector<std::string>>> parameters;
  std::size_t configurations = 0;
  std::size_t allowed = 0;   // that meet the conditions
  std::size_t measured = 0;  // by experiments of this run
  // Conditions that the compiler must decide, and why.
  std::vector<std::pair<std::string, std::string>> left;
};

// Who wants to know what goes on; an empty function is not called.
struct AutotuneObserver {
  std::function<void(const TuneSummary&)> begins;
  std::function<void(const Step&)> stepped;
};

struct Autotuned {
  int experiments = 0;
  int kept = 0;
  std::string why;  // it stopped
  int signal = 0;   // that stopped it; 0: none did
};

// An experiment of the run whose kernel is the best so far but for the values of its parameters.
struct TunedExperiment {
  ledger::Experiment experiment;
  std::optional<double> time_us;               // on the scale of the run (ledger::TimeScale)
  std::map<std::string, std::int64_t> values;  // by name
};

}  // namespace autokernel::loop
