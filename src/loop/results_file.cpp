#include "loop/results_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <ranges>
#include <set>
#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/ledger/results_table.h"

namespace autokernel::loop {
namespace {

using ledger::Experiment;

[[nodiscard]] std::string row_of(const Experiment& experiment) {
  return ledger::results_line(ledger::results_row(experiment));
}

// The table of a run that has it for itself.
[[nodiscard]] std::string table_of(const Status& status) {
  std::string table = ledger::results_header();
  for (const Experiment& experiment : status.experiments) table += row_of(experiment);
  return table;
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
                          const History& read_history) {
  const std::filesystem::path file = folders.results();
  const std::string name = file.filename().string();
  std::vector<ledger::ResultsRow> table;
  try {
    const auto text = folders.read(file, "the table of results");
    if (!text || text == table_of(status)) return {};
    table = ledger::parse_results(*text, file);
  } catch (const Error& error) {
    return error.what();
  }
  const std::vector<ledger::Row> history = read_history();
  const bool has_all = was_started_last(status, history);
  const std::set<std::string> others = rows_of_other_runs(status, history);
  std::vector<std::string> own;
  std::ranges::transform(status.experiments, std::back_inserter(own), row_of);
  auto expected = own.begin();
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::string row = ledger::results_line(table[i]);
    const auto found = std::find(expected, own.end(), row);
    if (found != own.end() && (found == expected || !has_all)) {
      expected = found + 1;
    } else if (!others.contains(row)) {
      constexpr std::size_t kLongest = 60;
      return fmt::format("row {} of {} ({}...) is not what the ledger has there", i + 1, name,
                         visible_line(row.substr(0, kLongest)));
    }
  }
  if (!has_all || expected == own.end()) return {};
  return fmt::format("{} lacks the row of experiment {}", name,
                     status.experiments[static_cast<std::size_t>(expected - own.begin())].number);
}

void require_results(const Folders& folders, const Status& status) {
  std::error_code unreadable;
  if (std::filesystem::exists(std::filesystem::symlink_status(folders.results(), unreadable))) {
    return;
  }
  write_file_atomically(folders.results(), table_of(status));
}

}  // namespace autokernel::loop
