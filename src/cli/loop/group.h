// `autokernel loop`: the commands of the experiment loop below one name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"

namespace autokernel::cli {

class LoopGroup : public Command {
 public:
  LoopGroup();
  [[nodiscard]] std::string name() const override { return "loop"; }
  [[nodiscard]] std::string summary() const override {
    return "Run experiments: keep what is faster, revert the rest";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  std::vector<std::unique_ptr<Command>> commands_;
  Options options_;  // this command's, from declare on
};

}  // namespace autokernel::cli
