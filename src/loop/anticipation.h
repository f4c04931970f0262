// The next experiment before there is one: a runner gets ready for it while the kernel is still
// being edited, and compiles each version that is written.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>

#include "autokernel/cases/editable_files.h"
#include "autokernel/loop/status.h"
#include "autokernel/trial/resident.h"
#include "loop/measurer.h"
#include "loop/workspace.h"

namespace autokernel::loop {

class Anticipation {
 public:
  // Has a runner got ready for an experiment against the best so far, where that is wanted. All
  // must live longer.
  Anticipation(const Workspace& workspace, const Measurer& measurer, const Status& status);

  // Looks whether the kernel was written since. A version that has not changed between two looks
  // is compiled, where that is wanted; true for it, once.
  bool look();

 private:
  using Versions = std::map<std::filesystem::path, std::filesystem::file_time_type>;
  [[nodiscard]] Versions versions() const;
  void compile(trial::Request& request) const noexcept;

  const Workspace& workspace_;
  const ledger::RunStarted& run_;
  std::optional<trial::Request> request_;  // none: not wanted
  Versions seen_;
  bool is_settled_ = true;  // what was seen
};

}  // namespace autokernel::loop
