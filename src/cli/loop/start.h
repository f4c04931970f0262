// `autokernel loop start`: a run on a branch of its own, with the kernel as it is as its baseline.
#pragma once

#include <optional>
#include <string>

#include "cli/command.h"
#include "cli/loop/opening.h"

namespace autokernel::cli {

class LoopStart : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "start"; }
  [[nodiscard]] std::string summary() const override {
    return "Start a run: make a branch, and measure the baseline";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  std::string tag_;
  RememberedOptions remembered_;
  TimeoutOption timeout_;
  std::string architecture_;
  std::string size_ = "default";
  std::optional<double> min_gain_pct_;
  std::optional<int> max_runs_;
  std::optional<double> hours_;
  std::optional<int> no_progress_;
  bool verbose_ = false;
};

}  // namespace autokernel::cli
