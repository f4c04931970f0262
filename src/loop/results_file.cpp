#include "loop/results_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ranges>
#include <set>
#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/ledger/results_table.h"

namespace autokernel::loop {
namespace {

using ledger::Experiment;

[[nodiscard]] std::string row_of(const Experiment& experiment) {
  return ledger::results_line(ledger::results_row(experiment));
}

// Another run's rows stay where they are when somebody goes back to its branch.
[[nodiscard]] std::set<std::string> rows_of_other_runs(const Status& status,
                                                       const std::vector<ledger::Row>& history) {
  std::set<std::string> rows;
  for (const ledger::Row& one : history) {
    const auto* experiment = std::get_if<Experiment>(&one.entry);
    if (experiment != nullptr && experiment->tag != status.run.tag) {
      rows.insert(row_of(*experiment));
    }
  }
  return rows;
}

// Only the run that was started last has all of its rows in the table: the start of another one
// moves them aside.
[[nodiscard]] bool was_started_last(const Status& status, const std::vector<ledger::Row>& history) {
  for (const ledger::Row& row : std::views::reverse(history)) {
    if (const auto* run = std::get_if<ledger::RunStarted>(&row.entry)) {
      return run->tag == status.run.tag;
    }
  }
  return false;
}

}  // namespace

std::string results_fault(const Folders& folders, const Status& status,
                          const std::vector<ledger::Row>& history) {
  const std::filesystem::path file = folders.results();
  std::error_code unreadable;
  if (!std::filesystem::exists(file, unreadable)) return {};
  const std::string name = file.filename().string();
  std::vector<ledger::ResultsRow> table;
  try {
    table = ledger::parse_results(read_file(file, "the table of results"), file);
  } catch (const Error& error) {
    return error.what();
  }
  const bool has_all = was_started_last(status, history);
  const std::set<std::string> others = rows_of_other_runs(status, history);
  auto expected = status.experiments.begin();
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::string row = ledger::results_line(table[i]);
    const auto found = std::find_if(expected, status.experiments.end(),
                                    [&](const auto& one) { return row_of(one) == row; });
    if (found != status.experiments.end() && (found == expected || !has_all)) {
      expected = found + 1;
    } else if (!others.contains(row)) {
      constexpr std::size_t kLongest = 60;
      return fmt::format("row {} of {} ({}...) is not what the ledger has there", i + 1, name,
                         ledger::as_one_line(row.substr(0, kLongest)));
    }
  }
  if (!has_all || expected == status.experiments.end()) return {};
  return fmt::format("{} lacks the row of experiment {}", name, expected->number);
}

void require_results(const Folders& folders, const Status& status) {
  std::error_code unreadable;
  if (std::filesystem::exists(folders.results(), unreadable)) return;
  std::string table = ledger::results_header();
  for (const Experiment& experiment : status.experiments) {
    table += ledger::results_line(ledger::results_row(experiment));
  }
  write_file_atomically(folders.results(), table);
}

}  // namespace autokernel::loop
