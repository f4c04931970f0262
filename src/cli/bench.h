// `autokernel bench`: one measurement of one kernel. It changes no file of the user's and knows
// nothing of git.
#pragma once

#include <optional>
#include <string>

#include "autokernel/trial/result.h"
#include "cli/command.h"

namespace autokernel::cli {

class Bench : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "bench"; }
  [[nodiscard]] std::string summary() const override {
    return "Compile, check and time a kernel once";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  [[nodiscard]] int measure(const Console& console) const;
  // What the options ask for; what they leave open is taken from the record to replay, if any.
  [[nodiscard]] trial::Request request() const;
  // Sets what the kernel is to be compared with.
  void add_incumbent(trial::Request& request) const;
  [[nodiscard]] std::string kept_log(const trial::Request& request, const std::string& text,
                                     const std::string& ptx, const Console& console) const;

  std::optional<std::string> case_directory_;  // none: the nearest
  std::optional<std::string> kernel_file_;     // none: the case's
  std::optional<std::string> device_;          // none: auto
  std::optional<std::string> architecture_;    // none: the device's
  std::optional<std::string> size_;            // none: default
  std::optional<double> timeout_seconds_;
  std::string against_;                 // a file or a revision; empty: nothing
  std::optional<double> min_gain_pct_;  // none: the device's
  std::string replay_;                  // a record of an earlier bench; empty: none
  std::string log_;                     // where the full log goes; empty: among the kept ones
  bool no_cache_ = false;
  bool unconfined_ = false;
  bool json_ = false;
  bool quiet_ = false;
  bool verbose_ = false;
};

}  // namespace autokernel::cli
