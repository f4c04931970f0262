// `autokernel completion SHELL`: the script that teaches a shell to complete our command line.
#pragma once

#include <string>

#include "cli/command.h"

namespace autokernel::cli {

class Completion : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "completion"; }
  [[nodiscard]] std::string summary() const override { return "Print a shell completion script"; }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  Options options_;  // this command's, from declare on
  std::string shell_;
};

}  // namespace autokernel::cli
