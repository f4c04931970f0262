// Keys of inputs that nobody has to know again: nothing that is launched on them is judged.
#pragma once

#include <string>

#include "trial/inputs/keys.h"

namespace autokernel::trial {

class FreshKeys : public KeySource {
 public:
  [[nodiscard]] Key draw(const std::string& /*launch*/) override { return draw_key(); }
};

}  // namespace autokernel::trial
