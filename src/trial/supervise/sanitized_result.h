// What a trial brings back, as it may be shown. The kernel has a hand in most of its texts: its
// names, what its compiler quotes, what it prints and asserts.
#pragma once

#include <string>

#include "autokernel/trial/result.h"

namespace autokernel::trial {

// Every text of the result bounded and visible (base/visible_text.h), whoever sends it. All that
// follows takes it from here: terminal, JSON, ledger, log and brief.
void sanitize(Result& result);

// The same for what an Error of the runner says.
[[nodiscard]] std::string sanitized_reason(const std::string& text);

}  // namespace autokernel::trial
