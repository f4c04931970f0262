#include "cli/plot/history.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/ledger/ledger.h"
#include "autokernel/ledger/results_table.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kResults = "results.tsv";
constexpr const char* kLedger = ".autokernel";
constexpr std::size_t kShortCommit = 7;  // as results.tsv has them

[[nodiscard]] plot::Fate fate_of(ledger::Status status) {
  switch (status) {
    case ledger::Status::keep:
      return plot::Fate::kept;
    case ledger::Status::discard:
      return plot::Fate::discarded;
    case ledger::Status::crash:
      return plot::Fate::failed;
  }
  return plot::Fate::failed;
}

// The gain is that over the incumbent, in pairs; around the median it says how sure the time is.
[[nodiscard]] std::optional<plot::Interval> interval_of(const ledger::Experiment& experiment) {
  if (!experiment.gain || !experiment.median_us || experiment.gain->estimate >= 1) return {};
  const double incumbent_us = *experiment.median_us / (1 - experiment.gain->estimate);
  return plot::Interval{incumbent_us * (1 - experiment.gain->high),
                        incumbent_us * (1 - experiment.gain->low)};
}

[[nodiscard]] std::optional<double> number_in(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

// What one measurement, as `bench --json` prints it, says of the case and the machine.
void add_measurement(plot::History& history, const std::string& result) {
  const json object = json::parse(result, nullptr, false);
  if (!object.is_object()) return;
  history.problem = object.value("problem", "");
  history.library_us = number_in(object, "reference_us");
  const auto median_us = number_in(object, "median_us");
  const auto percent = number_in(object, "pct_peak");
  if (median_us && percent) history.roofline_us = *median_us * *percent / 100;
}

// What a ledger says of the rows that it has, too.
void add_ledger(plot::History& history, const fs::path& folder) {
  const ledger::Ledger record = ledger::Ledger::open(folder);
  const std::vector<ledger::Row> rows = record.rows();
  std::map<std::string, const ledger::Row*> by_commit;
  std::map<std::string, std::string> devices;  // by run
  for (const ledger::Row& row : rows) {
    if (const auto* experiment = std::get_if<ledger::Experiment>(&row.entry))
      by_commit[experiment->commit.substr(0, kShortCommit)] = &row;
    if (const auto* run = std::get_if<ledger::RunStarted>(&row.entry))
      devices[run->tag] = run->device_name;
  }
  const ledger::Row* best = nullptr;
  for (plot::Experiment& drawn : history.experiments) {
    const auto found = by_commit.find(drawn.commit.substr(0, kShortCommit));
    if (found == by_commit.end()) continue;
    const auto& experiment = std::get<ledger::Experiment>(found->second->entry);
    drawn.tflops_s = experiment.tflops_s;  // with all digits
    drawn.interval_us = interval_of(experiment);
    history.run = experiment.tag;
    if (drawn.fate == plot::Fate::kept) best = found->second;
  }
  history.device = devices[history.run];
  if (best != nullptr)
    add_measurement(history, std::get<ledger::Experiment>(record.read(*best)).result);
}

}  // namespace

fs::path find_results(const fs::path& here) {
  for (fs::path folder = here;; folder = folder.parent_path()) {
    if (fs::exists(folder / kResults)) return folder / kResults;
    if (fs::exists(folder / ".git") || folder == folder.parent_path()) break;
  }
  throw Error(Stop::usage, "cannot draw: there is no results.tsv in " + here.string() +
                               " or above it; name one with --input, or begin a run with: "
                               "autokernel loop start TAG");
}

plot::History read_history(const fs::path& results, std::ostream& err) {
  plot::History history;
  for (ledger::ResultsRow& row :
       ledger::parse_results(read_file(results, "the table of results"), results)) {
    history.experiments.push_back({.commit = std::move(row.commit),
                                   .fate = fate_of(row.status),
                                   .median_us = row.median_us,
                                   .tflops_s = row.tflops_s,
                                   .description = visible_line(row.description),
                                   .interval_us = {}});
  }
  if (history.experiments.empty()) {
    throw Error(Stop::usage, "cannot draw " + results.string() +
                                 ": it has no rows yet; they come with: autokernel loop start TAG");
  }
  const fs::path folder = fs::absolute(results).parent_path() / kLedger;
  try {
    if (fs::exists(folder / "ledger.jsonl")) add_ledger(history, folder);
  } catch (const Error& error) {  // the table says enough by itself
    err << "drawn without the ledger: " << error.what() << "\n";
  }
  return history;
}

}  // namespace autokernel::cli
