// `autokernel launcher`, which no user calls: the child of a runner in which the candidate's code
// runs.
#pragma once

#include "cli/command.h"

namespace autokernel::cli {

class Launcher : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "launcher"; }
  [[nodiscard]] std::string summary() const override { return {}; }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;
};

}  // namespace autokernel::cli
