// How long to wait before a request is made again.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "autokernel/notify/delivery.h"

namespace autokernel::notify {

// After that many attempts (from 1), the first pause doubled each time up to the longest; `chance`
// from 0 to 1 makes of it a half to the whole, so that many senders do not come back at once. What
// the service asked for (Retry-After in whole seconds) is waited for at least. None where that is
// longer than anybody should wait.
[[nodiscard]] std::optional<std::chrono::milliseconds> pause_after(int attempts,
                                                                   const std::string& retry_after,
                                                                   double chance,
                                                                   const DeliveryLimits& limits);

}  // namespace autokernel::notify
