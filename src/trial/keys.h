// The keys of a trial, in the order they were drawn: what makes it possible to replay one, and not
// to foresee it.
#pragma once

#include <string>
#include <vector>

#include "trial/philox.h"

namespace autokernel::trial {

class Keys {
 public:
  // Draws a fresh key and notes it. Call it when the launch before has ended, never earlier.
  [[nodiscard]] Key draw() {
    const Key key = draw_key();
    drawn_.push_back(hexadecimal(key));
    return key;
  }
  [[nodiscard]] const std::vector<std::string>& drawn() const { return drawn_; }

 private:
  std::vector<std::string> drawn_;
};

}  // namespace autokernel::trial
