// Uses std::string without including it: compiles only after a header that does. For the test of
// that rule alone.
#pragma once

namespace layers {

struct NeedsOthers {
  std::string text;
};

}  // namespace layers
