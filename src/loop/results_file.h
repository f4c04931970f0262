// results.tsv against the ledger, from which it is made.
#pragma once

#include <string>
#include <vector>

#include "autokernel/ledger/ledger.h"
#include "autokernel/loop/status.h"
#include "loop/folders.h"

namespace autokernel::loop {

// A sentence on the first row that is not as the ledger has it: it is no experiment's, or that of
// an experiment is missing; empty where all are. Nothing is wrong with a file that is not there.
[[nodiscard]] std::string results_fault(const Folders& folders, const Status& status,
                                        const std::vector<ledger::Row>& history);

// Makes a table that is not there from the ledger.
void require_results(const Folders& folders, const Status& status);

}  // namespace autokernel::loop
