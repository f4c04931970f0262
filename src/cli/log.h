// `autokernel log`: every experiment, rejected ones included.
#pragma once

#include <optional>
#include <string>

#include "cli/command.h"

namespace autokernel::cli {

class Log : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "log"; }
  [[nodiscard]] std::string summary() const override {
    return "List the experiments, rejected ones included";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  std::string tag_;     // empty: the run of this branch
  bool all_ = false;    // of all runs
  std::string status_;  // empty: any
  std::string text_;    // in description, verdict or reason; empty: any
  std::optional<int> last_;
  bool follow_ = false;
  bool json_ = false;
};

}  // namespace autokernel::cli
