// `autokernel noise`: a kernel measured against itself, and what that says of this machine.
#pragma once

#include <optional>
#include <string>

#include "autokernel/trial/result.h"
#include "cli/command.h"

namespace autokernel::cli {

class Noise : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "noise"; }
  [[nodiscard]] std::string summary() const override {
    return "Measure the noise of this machine, and the detectable gain";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  [[nodiscard]] trial::Request request() const;

  std::optional<std::string> case_directory_;  // none: the nearest
  std::string device_ = "auto";
  std::string size_ = "default";
  std::optional<double> min_gain_pct_;  // none: the device's
  double seconds_ = 30;
  bool json_ = false;
  bool verbose_ = false;
};

}  // namespace autokernel::cli
