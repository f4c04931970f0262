// In words, which entries somebody's truncation took.
#pragma once

#include <string>
#include <vector>

#include "ledger/index_row.h"

namespace autokernel::ledger {

// "experiments 3 to 19 of demo, 2 other entries"
[[nodiscard]] std::string described(const std::vector<IndexRow>& rows);

}  // namespace autokernel::ledger
