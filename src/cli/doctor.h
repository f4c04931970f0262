// `autokernel doctor`: what this machine has, what is missing, and the command that fixes it.
#pragma once

#include <string>

#include "cli/command.h"

namespace autokernel::cli {

class Doctor : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "doctor"; }
  [[nodiscard]] std::string summary() const override {
    return "Check this machine, and say how to fix what is missing or wrong";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  std::string device_ = "auto";
  bool json_ = false;
  int timeout_seconds_ = 30;
};

}  // namespace autokernel::cli
