// `autokernel loop status`: where the run stands, in under a kilobyte.
#pragma once

#include <optional>
#include <string>

#include "cli/command.h"
#include "cli/loop/opening.h"

namespace autokernel::cli {

class LoopStatus : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "status"; }
  [[nodiscard]] std::string summary() const override {
    return "Show where the run stands, and what to do next";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  RememberedOptions remembered_;
  bool json_ = false;
};

}  // namespace autokernel::cli
