// `autokernel probe`, which no user calls: a child of doctor's that finds out one thing, and may
// hang or crash over it.
#pragma once

#include <string>

#include "cli/command.h"

namespace autokernel::cli {

// Writes one answer to descriptor 3 (cli/doctor/facts_message.h).
class Probe : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "probe"; }
  [[nodiscard]] std::string summary() const override { return {}; }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  std::string part_;    // doctor::Part's spelling
  std::string device_;  // for the parts that need one
};

}  // namespace autokernel::cli
