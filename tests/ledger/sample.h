// Entries to write and read: with every field set, and with none.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "autokernel/ledger/ledger.h"

namespace autokernel::ledger {

[[nodiscard]] RunStarted full_run_started();
[[nodiscard]] Experiment full_experiment();
[[nodiscard]] Turn full_turn();
[[nodiscard]] RunFinished full_run_finished();
[[nodiscard]] RunResumed full_run_resumed();
// One of each kind.
[[nodiscard]] std::vector<Entry> full_entries();
[[nodiscard]] std::vector<Entry> empty_entries();

// An experiment of the run "demo", told from the others by its number.
[[nodiscard]] Experiment experiment(int number);
[[nodiscard]] std::vector<Entry> experiments(int first, int last);

// The numbers of the experiments among the rows.
[[nodiscard]] std::vector<int> numbers_in(const std::vector<Row>& rows);
// The rows of the ledger in a folder, opened anew; and the notes of opening it.
[[nodiscard]] std::vector<int> numbers_in_ledger(const std::filesystem::path& folder);
[[nodiscard]] std::vector<std::string> notes_of(const std::filesystem::path& folder);

}  // namespace autokernel::ledger
