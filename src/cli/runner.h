// `autokernel runner`, which no user calls: the child that the supervisor starts for one trial.
#pragma once

#include "cli/command.h"

namespace autokernel::cli {

// Reads a request from standard input and writes events to descriptor 3
// (autokernel/trial/message.h). What it prints goes to the log.
class Runner : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "runner"; }
  [[nodiscard]] std::string summary() const override { return {}; }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;
};

}  // namespace autokernel::cli
