// The keys of a trial, by the launch they were drawn for: what makes it possible to replay one, and
// not to foresee it.
#pragma once

#include <string>
#include <vector>

#include "autokernel/trial/result.h"
#include "trial/philox.h"

namespace autokernel::trial {

class Keys {
 public:
  Keys() = default;
  // Those of a trial to be replayed. Throws Error(usage) on a key that is none.
  explicit Keys(const std::vector<LaunchKey>& recorded);

  // The next recorded key of that launch, or else a fresh one; notes it. Call it when the launch
  // before has ended, never earlier.
  [[nodiscard]] Key draw(const std::string& launch);
  [[nodiscard]] const std::vector<LaunchKey>& drawn() const { return drawn_; }

 private:
  std::vector<LaunchKey> recorded_;  // those not used yet, in order
  std::vector<LaunchKey> drawn_;
};

}  // namespace autokernel::trial
