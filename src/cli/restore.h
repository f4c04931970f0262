// `autokernel restore`: puts the source of an experiment into the editable file.
#pragma once

#include <optional>
#include <string>

#include "cli/command.h"

namespace autokernel::cli {

class Restore : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "restore"; }
  [[nodiscard]] std::string summary() const override {
    return "Restore the editable file to an experiment's source";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  int number_ = 0;
};

}  // namespace autokernel::cli
