// What a supervisor elsewhere is told, one line of JSON as the messages of message.h are.
#pragma once

#include <string>

#include "autokernel/trial/result.h"

namespace autokernel::trial {

// A trial to be supervised there, within these limits.
struct TrialOrder {
  Limits limits;
  Request request;
};

[[nodiscard]] std::string encode(const TrialOrder& order);
// Throws Error(internal) for a line that makes no sense.
[[nodiscard]] TrialOrder decode_trial_order(const std::string& line);

}  // namespace autokernel::trial
