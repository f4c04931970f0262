// `autokernel show`: one experiment whole.
#pragma once

#include <optional>
#include <string>

#include "cli/command.h"

namespace autokernel::cli {

class Show : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "show"; }
  [[nodiscard]] std::string summary() const override {
    return "Show one experiment: its verdict, figures and source";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  int number_ = 0;
  std::string tag_;  // empty: the run of this branch
  bool source_ = false;
  bool ptx_ = false;
  bool samples_ = false;
  bool json_ = false;
};

}  // namespace autokernel::cli
