// What those who wait for a task are told at its end.
#pragma once

#include <string>

#include "serve/ledger.h"

namespace autokernel::serve {

// Of a trial: its last event (trial/message.h), a Failure where it has no result.
[[nodiscard]] std::string event_of(const Task& task);
// Why it has no result, in a sentence; empty where it has one.
[[nodiscard]] std::string reason_of(const Task& task);

}  // namespace autokernel::serve
