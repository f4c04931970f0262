// From the rows of the ledger to where a run stands.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "autokernel/ledger/ledger.h"
#include "autokernel/loop/status.h"

namespace autokernel::loop {

// The last run on that branch; none where none was started on it.
[[nodiscard]] std::optional<Status> account_of(const std::vector<ledger::Row>& rows,
                                               const std::string& branch);

// Counts one more experiment, the run's next.
void add_to(Status& status, const ledger::Experiment& experiment);

}  // namespace autokernel::loop
