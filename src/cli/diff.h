// `autokernel diff`: what an experiment changed.
#pragma once

#include <optional>
#include <string>

#include "cli/command.h"

namespace autokernel::cli {

class Diff : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "diff"; }
  [[nodiscard]] std::string summary() const override {
    return "Show what an experiment changed, or how two differ";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  int number_ = 0;
  std::optional<int> other_;
};

}  // namespace autokernel::cli
