// results.tsv against the ledger, from which it is made.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "autokernel/ledger/ledger.h"
#include "autokernel/loop/status.h"
#include "loop/folders.h"

namespace autokernel::loop {

// A sentence on the first row that is not as the ledger has it: it is no experiment's, or that of
// an experiment is missing; empty where all are. Nothing is wrong with a file that is not there.
// All entries of the ledger are asked for only where the table is not the run's alone.
using History = std::function<std::vector<ledger::Row>()>;
[[nodiscard]] std::string results_fault(const Folders& folders, const Status& status,
                                        const History& read_history);

// Makes a table that is not there from the ledger.
void require_results(const Folders& folders, const Status& status);

}  // namespace autokernel::loop
