// The order in which a launcher must go through its phases (runner/launcher.cpp). A phase decides
// who is blamed for a lost process, and starts a new deadline: one out of turn is not believed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "autokernel/trial/result.h"

namespace autokernel::trial {

class LauncherPhases {
 public:
  enum class Compared : std::uint8_t { with_none, with_incumbent };
  explicit LauncherPhases(Compared compared);

  // Whether it may say now that it has entered that phase; if so, it is in it.
  [[nodiscard]] bool enter(Phase phase) { return step(phase); }
  // Whether it may say now that its checks are done; if so, it is timing.
  [[nodiscard]] bool finish_checks() { return step(std::nullopt); }
  // Whether it has gone through all of them, and may say what it measured.
  [[nodiscard]] bool is_over() const { return next_ == steps_.size(); }

 private:
  using Step = std::optional<Phase>;  // none: the checks are done
  [[nodiscard]] bool step(Step step);

  std::span<const Step> steps_;
  std::size_t next_ = 0;
};

}  // namespace autokernel::trial
