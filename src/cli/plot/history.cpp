#include "cli/plot/history.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/ledger/ledger.h"
#include "autokernel/ledger/results_table.h"
#include "autokernel/ledger/time_scale.h"

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

[[nodiscard]] std::optional<double> number_in(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

// An experiment of the ledger, and where it lies on the scale of its run.
struct Scaled {
  const ledger::Row* row = nullptr;
  std::optional<double> time_us;
  std::optional<plot::Interval> interval_us;
};

// All that the ledger says of a table's run.
struct Record {
  std::map<std::string, Scaled> by_commit;
  std::map<std::string, std::string> devices;  // by run
  std::vector<const ledger::RunFinished*> ends;
};

[[nodiscard]] Record record_of(const std::vector<ledger::Row>& rows) {
  Record record;
  std::map<std::string, ledger::TimeScale> scales;  // by run
  for (const ledger::Row& row : rows) {
    if (const auto* experiment = std::get_if<ledger::Experiment>(&row.entry)) {
      ledger::TimeScale& scale = scales[experiment->tag];
      Scaled scaled{.row = &row, .time_us = scale.add(*experiment), .interval_us = {}};
      const auto incumbent_us = scale.incumbent_us(*experiment);
      if (incumbent_us && experiment->gain) {
        const auto after = [&](double gain) {
          return ledger::after_gain(*experiment, *incumbent_us, gain);
        };
        scaled.interval_us =
            plot::Interval{after(experiment->gain->high), after(experiment->gain->low)};
      }
      // A baseline may be that of several runs: the table is of the last one.
      record.by_commit[experiment->commit.substr(0, kShortCommit)] = scaled;
    } else if (const auto* run = std::get_if<ledger::RunStarted>(&row.entry)) {
      record.devices[run->tag] = run->device_name;
    } else if (const auto* end = std::get_if<ledger::RunFinished>(&row.entry)) {
      record.ends.push_back(end);
    }
  }
  return record;
}

[[nodiscard]] const ledger::Experiment& experiment_of(const Scaled& scaled) {
  return std::get<ledger::Experiment>(scaled.row->entry);
}

// Puts all times on the scale of the run; false, and nothing is changed, where one of them is not
// on it: two scales in one picture would say what is not so.
[[nodiscard]] bool put_on_scale(plot::History& history, const Record& record) {
  std::vector<plot::Experiment> scaled = history.experiments;
  for (plot::Experiment& drawn : scaled) {
    if (!drawn.time_us) continue;
    const auto found = record.by_commit.find(drawn.commit.substr(0, kShortCommit));
    if (found == record.by_commit.end() || !found->second.time_us) return false;
    const ledger::Experiment& experiment = experiment_of(found->second);
    const std::optional<double> time_us = found->second.time_us;
    if (drawn.tflops_s && experiment.median_us && time_us) {
      *drawn.tflops_s *= *experiment.median_us / *time_us;
    }
    drawn.time_us = time_us;
    drawn.interval_us = found->second.interval_us;
  }
  history.experiments = std::move(scaled);
  history.scale = plot::Scale::pairs;
  return true;
}

// Less is better of everything in a history.
void take_measure(plot::History& history, const ledger::Experiment& experiment) {
  if (!experiment.metric) return;
  const ledger::MetricValue& metric = *experiment.metric;
  history.measure = plot::Measure{
      .name = metric.name, .unit = metric.unit, .higher_is_better = metric.higher_is_better};
  if (!metric.higher_is_better) return;
  for (plot::Experiment& drawn : history.experiments) {
    if (drawn.time_us && *drawn.time_us > 0) drawn.time_us = 1 / *drawn.time_us;
    if (drawn.interval_us)
      drawn.interval_us = plot::Interval{1 / drawn.interval_us->low, 1 / drawn.interval_us->high};
  }
}

// What one measurement, as `bench --json` prints it, says of the case and the machine. `time_us` is
// where it lies in the picture.
void add_measurement(plot::History& history, const std::string& result, double time_us) {
  const json object = json::parse(result, nullptr, false);
  if (!object.is_object()) return;
  history.problem = object.value("problem", "");
  const auto median_us = number_in(object, "median_us");
  const auto library_us = number_in(object, "reference_us");
  // Both were measured in one run; the picture has one of them elsewhere.
  if (median_us && library_us) history.library_us = *library_us * time_us / *median_us;
  if (const auto percent = number_in(object, "pct_peak"); median_us && percent) {
    history.roofline_us = *median_us * *percent / 100;
  }
  const auto versions = object.find("versions");
  if (versions == object.end() || !versions->is_object()) return;
  const std::string library = versions->value("reference", "");
  if (!library.empty()) history.library = library.substr(0, library.find(' '));
}

// What a ledger says of the rows that it has, too.
void add_ledger(plot::History& history, const fs::path& folder, plot::Scale wanted) {
  const ledger::Ledger ledger = ledger::Ledger::open_to_read(folder);
  const std::vector<ledger::Row> rows = ledger.rows();
  const Record record = record_of(rows);
  const ledger::Row* best = nullptr;
  std::size_t place_of_best = 0;
  for (std::size_t i = 0; i < history.experiments.size(); ++i) {
    plot::Experiment& drawn = history.experiments[i];
    const auto found = record.by_commit.find(drawn.commit.substr(0, kShortCommit));
    if (found == record.by_commit.end()) continue;
    const ledger::Experiment& experiment = experiment_of(found->second);
    drawn.tflops_s = experiment.tflops_s;  // with all digits
    history.run = experiment.tag;
    if (drawn.fate != plot::Fate::kept) continue;
    best = found->second.row;
    place_of_best = i;
  }
  if (const auto device = record.devices.find(history.run); device != record.devices.end()) {
    history.device = device->second;
  }
  const bool on_scale = wanted == plot::Scale::pairs && put_on_scale(history, record);
  if (best != nullptr) take_measure(history, std::get<ledger::Experiment>(best->entry));
  if (best == nullptr) return;
  const auto& experiment = std::get<ledger::Experiment>(best->entry);
  for (const ledger::RunFinished* end : record.ends) {
    if (!on_scale || end->tag != history.run) continue;
    history.confirmed.reset();
    if (end->best != experiment.commit || !end->over_baseline) continue;
    history.confirmed = plot::Confirmed{.ratio = end->over_baseline->ratio,
                                        .low = end->over_baseline->low,
                                        .high = end->over_baseline->high,
                                        .processes = end->processes};
  }
  if (const auto time_us = history.experiments[place_of_best].time_us) {
    add_measurement(history, std::get<ledger::Experiment>(ledger.read(*best)).result, *time_us);
  }
}

}  // namespace

fs::path find_results(const fs::path& here) {
  for (fs::path folder = here;; folder = folder.parent_path()) {
    if (fs::exists(folder / kResults)) return folder / kResults;
    if (fs::exists(folder / ".git") || folder == folder.parent_path()) break;
  }
  throw Error(
      Stop::usage,
      "cannot draw: there is no results.tsv in " + here.string() +
          " or above it; name one with --input, or start a run with: autokernel loop start TAG");
}

plot::History read_history(const fs::path& results, plot::Scale wanted, std::ostream& err) {
  plot::History history;
  for (ledger::ResultsRow& row :
       ledger::parse_results(read_file(results, "the table of results"), results)) {
    history.experiments.push_back({.commit = std::move(row.commit),
                                   .fate = fate_of(row.status),
                                   .time_us = row.median_us,
                                   .tflops_s = row.tflops_s,
                                   .description = visible_line(row.description),
                                   .interval_us = {}});
  }
  if (history.experiments.empty()) {
    throw Error(Stop::usage,
                "cannot draw " + results.string() +
                    ": it has no rows yet; start a run with: autokernel loop start TAG");
  }
  const fs::path folder = fs::absolute(results).parent_path() / kLedger;
  try {
    if (fs::exists(folder / "ledger.jsonl")) add_ledger(history, folder, wanted);
  } catch (const Error& error) {  // the table says enough by itself
    err << "drawn without the ledger: " << error.what() << "\n";
  }
  return history;
}

plot::History by_guard(plot::History history, const fs::path& results, const std::string& name) {
  const ledger::Ledger ledger =
      ledger::Ledger::open_to_read(fs::absolute(results).parent_path() / kLedger);
  std::map<std::string, ledger::MetricValue> values;  // by commit
  std::set<std::string> known;
  for (const ledger::Row& row : ledger.rows()) {
    const auto* experiment = std::get_if<ledger::Experiment>(&row.entry);
    if (experiment == nullptr) continue;
    for (const ledger::GuardValue& guard : experiment->guards) {
      known.insert(guard.metric.name);
      if (guard.metric.name == name)
        values[experiment->commit.substr(0, kShortCommit)] = guard.metric;
    }
  }
  if (values.empty()) {
    std::string names;
    for (const std::string& each : known) names += (names.empty() ? "" : ", ") + each;
    throw Error(Stop::usage,
                fmt::format("cannot draw {}: the ledger beside {} has no guard of that name; {}",
                            visible_line(name), results.string(),
                            names.empty() ? "it has none" : "it has " + visible_line(names)));
  }
  const ledger::MetricValue& any = values.begin()->second;
  history.measure =
      plot::Measure{.name = any.name, .unit = any.unit, .higher_is_better = any.higher_is_better};
  history.scale = plot::Scale::medians;
  history.confirmed.reset();
  history.library_us.reset();
  history.roofline_us.reset();
  for (plot::Experiment& drawn : history.experiments) {
    drawn.interval_us.reset();
    drawn.tflops_s.reset();
    drawn.time_us.reset();
    const auto found = values.find(drawn.commit.substr(0, kShortCommit));
    if (found == values.end()) continue;
    drawn.time_us = any.higher_is_better ? 1 / found->second.value : found->second.value;
  }
  return history;
}

}  // namespace autokernel::cli
