// `autokernel loop finish`: the gain measured again, and a branch to merge.
#pragma once

#include <optional>
#include <string>

#include "cli/command.h"
#include "cli/loop/opening.h"

namespace autokernel::cli {

class LoopFinish : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "finish"; }
  [[nodiscard]] std::string summary() const override {
    return "Measure the gain again, and make a branch to merge";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  RememberedOptions remembered_;
  TimeoutOption timeout_;
  int processes_ = 5;
  bool json_ = false;
  bool verbose_ = false;
};

}  // namespace autokernel::cli
