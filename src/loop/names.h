// How messages name runs, experiments and commits.
#pragma once

#include <string>
#include <vector>

#include "autokernel/ledger/ledger.h"

namespace autokernel::loop {

// The first seven digits of a commit.
[[nodiscard]] std::string short_id(const std::string& commit);
// "experiment 3 (1a2b3c4)".
[[nodiscard]] std::string name_of(const ledger::Experiment& experiment);
// A path as a shell takes it, which may have to be in quotation marks.
[[nodiscard]] std::string quoted(const std::string& path);
// Throws Error(repository) where no run of that name was started, naming those that were.
void require_run_among(const std::vector<ledger::Row>& rows, const std::string& tag);

}  // namespace autokernel::loop
