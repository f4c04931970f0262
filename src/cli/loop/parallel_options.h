// --parallel, --devices and --strategy of `loop run`: several agents at a time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "autokernel/loop/parallel.h"
#include "cli/options.h"

namespace autokernel::cli {

struct ParallelChoice {
  std::optional<int> agents;
  std::optional<std::string> devices;
  std::string strategy = "climb";

  void declare(Options options);
  [[nodiscard]] bool is_made() const { return agents || devices; }
  // `process`: how one agent's process is started. Throws Error(usage).
  [[nodiscard]] loop::ParallelOptions options(const loop::DriveOptions& drive,
                                              std::vector<std::string> process) const;
};

}  // namespace autokernel::cli
