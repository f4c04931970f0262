// Measures opponents in rounds: each kernel in a trial of its own, libraries beside ours.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/trial/supervisor.h"
#include "cli/compare/series.h"

namespace autokernel::cli {

struct KernelOpponent {
  std::string label;
  trial::Request request;  // at the size; of ours with baselines
};

// Of one size.
struct Comparison {
  std::string size;
  std::map<std::string, std::string> symbols;
  std::string problem;
  double flops = 0;  // per run
  double bytes = 0;
  std::vector<Series> series;  // ours first, then kernels, then libraries
  std::optional<trial::DeviceReport> device;
  std::map<std::string, std::string> versions;
  std::vector<std::string> notes;  // what is not the same about opponents, and what warned
  // That were begun: fewer than planned where ours was refused, or the user stopped it.
  int rounds = 0;
  std::optional<int> interrupted;  // the signal that stopped it
  double seconds = 0;
};

struct RoundsPlan {
  std::vector<KernelOpponent> kernels;  // ours first
  std::vector<std::string> baselines;   // of the case: files of host programs
  int rounds = 5;
  trial::Limits limits;
  // Is told often what is under way: "round 2 of 5, kernel.cu".
  std::function<void(const std::string& what, trial::Phase, std::chrono::duration<double>)>
      progress;
  bool may_use_resident = true;
};

// In each round all opponents, in an order of its own. One that is refused, or that the machine
// lacks something for, is left out of the rounds that follow; with ours they end. Throws Error
// where the machine lacks something for ours. A signal ends it after what was measured so far.
[[nodiscard]] Comparison measure_rounds(const RoundsPlan& plan);

}  // namespace autokernel::cli
