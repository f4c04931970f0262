// Times as the ledger has them, and how long a run has lasted.
#pragma once

#include <string>

#include "autokernel/loop/status.h"

namespace autokernel::loop {

// "2026-01-31T12:34:56.789Z".
[[nodiscard]] std::string now_utc();
// Hours from one time as now_utc() writes it until another, or until now; 0 for a text that is
// not such a time, and where the clock was set back in between.
[[nodiscard]] double hours_between(const std::string& from, const std::string& to);
[[nodiscard]] double hours_since(const std::string& time);
// Hours that a run has lasted. At least as long as its last entry says: a clock that was set back
// since does not give time back to it.
[[nodiscard]] double hours_of(const Status& status);

}  // namespace autokernel::loop
