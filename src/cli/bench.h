// `autokernel bench`: one measurement of one kernel. It changes no file of the user's and knows
// nothing of git.
#pragma once

#include <optional>
#include <string>

#include "cli/command.h"

namespace autokernel::cli {

class Bench : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "bench"; }
  [[nodiscard]] std::string summary() const override {
    return "Compile, check and time a kernel once";
  }
  void declare(CLI::App& app) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  std::string case_directory_;  // empty: the nearest
  std::string kernel_file_;     // empty: the case's
  std::string device_ = "auto";
  std::string architecture_;
  std::string size_ = "default";
  std::optional<double> timeout_seconds_;
  bool verbose_ = false;
};

}  // namespace autokernel::cli
