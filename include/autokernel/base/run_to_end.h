// A program that is run to its end for what it does and prints.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "autokernel/base/process.h"

namespace autokernel {

struct EndedRun {
  std::optional<Ending> ending;  // none: its time was up, and it was killed
  std::string output;            // of what it printed, the beginning and the end

  [[nodiscard]] bool succeeded() const {
    return ending && ending->code == 0 && ending->signal == 0;
  }
};

// Keeps `most_output` bytes of what it prints. `meanwhile` is called every few milliseconds. Throws
// what Child::start throws.
[[nodiscard]] EndedRun run_to_end(
    const Command& command, std::chrono::seconds patience, std::size_t most_output,
    const std::function<void()>& meanwhile = [] {});

}  // namespace autokernel
