// `autokernel verify-run`: whether what a run claims holds.
#pragma once

#include <string>

#include "cli/command.h"
#include "cli/loop/opening.h"

namespace autokernel::cli {

class VerifyRun : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "verify-run"; }
  [[nodiscard]] std::string summary() const override {
    return "Check the record of a run, and measure its gain again";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  std::string tag_;  // empty: the run of this branch
  int processes_ = 5;
  bool json_ = false;
  bool verbose_ = false;
  TimeoutOption timeout_;
};

}  // namespace autokernel::cli
