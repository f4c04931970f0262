// The keys of a trial, by the launch they were drawn for: what makes it possible to replay one, and
// not to foresee it.
#pragma once

#include <string>
#include <vector>

#include "autokernel/trial/result.h"
#include "trial/inputs/philox.h"

namespace autokernel::trial {

// Where a launch's key comes from.
class KeySource {
 public:
  KeySource() = default;
  KeySource(const KeySource&) = default;
  KeySource& operator=(const KeySource&) = default;
  KeySource(KeySource&&) = default;
  KeySource& operator=(KeySource&&) = default;
  virtual ~KeySource() = default;
  // Call it when the launch before has ended, never earlier.
  [[nodiscard]] virtual Key draw(const std::string& launch) = 0;
};

class Keys : public KeySource {
 public:
  Keys() = default;
  // Those of a trial to be replayed. Throws Error(usage) on a key that is none.
  explicit Keys(const std::vector<LaunchKey>& recorded);

  // The next recorded key of that launch, or else a fresh one; notes it.
  [[nodiscard]] Key draw(const std::string& launch) override;
  [[nodiscard]] const std::vector<LaunchKey>& drawn() const { return drawn_; }

 private:
  std::vector<LaunchKey> recorded_;  // those not used yet, in order
  std::vector<LaunchKey> drawn_;
};

}  // namespace autokernel::trial
