// How runs of a program with and without our kernels are compared: the options of `verify`, and of
// `optimize`, which hands them on.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"

namespace autokernel::cli {

struct ComparisonOptions {
  std::string metric;  // a regular expression; empty: the time from start to end
  bool higher_is_better = false;
  bool same_output = false;
  std::string check_command;
  bool no_graphs = false;
  int pairs = 40;
  int minutes = 15;

  void declare(Options options);
  // Throws Error(usage) where they contradict each other, or the program cannot be started.
  void check(const std::vector<std::string>& command) const;
  // The same as words of a command line.
  [[nodiscard]] std::vector<std::string> words() const;
};

}  // namespace autokernel::cli
