// `autokernel plot`: the run as a picture.
#pragma once

#include <optional>
#include <string>

#include "cli/command.h"

namespace autokernel::cli {

class Plot : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "plot"; }
  [[nodiscard]] std::string summary() const override {
    return "Plot the experiments in results.tsv as PNG, SVG, HTML or text";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  std::string input_;
  std::string output_;
  std::string format_;
  bool raw_ = false;
  bool open_ = false;
};

}  // namespace autokernel::cli
