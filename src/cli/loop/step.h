// `autokernel loop step`: one experiment with the editable file as it is.
#pragma once

#include <optional>
#include <string>

#include "cli/command.h"
#include "cli/loop/opening.h"

namespace autokernel::cli {

class LoopStep : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "step"; }
  [[nodiscard]] std::string summary() const override {
    return "Try the kernel as it is now, and keep or revert it";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  RememberedOptions remembered_;
  TimeoutOption timeout_;
  loop::StepOptions options_;
  bool json_ = false;
  bool verbose_ = false;
};

}  // namespace autokernel::cli
