// `autokernel loop run`: an external coding agent driven through one experiment after the other.
#pragma once

#include <optional>
#include <string>

#include "cli/command.h"
#include "cli/loop/opening.h"

namespace autokernel::cli {

class LoopRun : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "run"; }
  [[nodiscard]] std::string summary() const override {
    return "Start a coding agent once per experiment, and try its edits";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  RememberedOptions remembered_;
  TimeoutOption timeout_;
  std::string agent_;
  std::optional<int> max_runs_;
  std::optional<double> hours_;
  std::optional<int> no_progress_;
  double agent_seconds_ = 1800;
  bool simpler_ = false;
  bool verbose_ = false;
};

}  // namespace autokernel::cli
