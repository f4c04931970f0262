// The other way from spelling(Status).
#pragma once

#include <optional>
#include <string_view>

#include "autokernel/ledger/entry.h"

namespace autokernel::ledger {

[[nodiscard]] std::optional<Status> status_spelled(std::string_view text);

}  // namespace autokernel::ledger
