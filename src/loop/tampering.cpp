#include "loop/tampering.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "autokernel/base/error.h"
#include "loop/harness_files.h"
#include "loop/ledger_backup.h"
#include "loop/names.h"
#include "loop/results_file.h"
#include "loop/seal.h"

namespace autokernel::loop {
namespace {

constexpr std::size_t kMostFaultsNamed = 20;

// The seal against the last line of the run.
[[nodiscard]] std::string seal_fault(const repo::Repository& repository,
                                     const ledger::Ledger& ledger, const RunState& state) {
  const std::string name = seal_name(state.status.run.tag);
  const ledger::LineSpan& last = state.last_line;
  const auto text = repository.bytes_referenced(name);
  if (!text) {
    // Earlier versions sealed nothing, and chained nothing.
    if (!ledger.is_chained(state.first_line)) return {};
    return fmt::format("the seal of the run, {}, is gone", name);
  }
  const auto seal = parse_seal(*text);
  if (!seal) return fmt::format("{} is not a seal", name);
  if (seal->offset != last.offset || seal->length != last.length) {
    const bool cut = seal->offset + seal->length > last.end();
    return fmt::format("the ledger {} the entry that was written last (at byte {}, as {} says)",
                       cut ? "has lost" : "continues after", seal->offset, name);
  }
  if (ledger.hash_at(seal->offset, seal->length) == seal->sha256) return {};
  return fmt::format(
      "the last entry of the run in the ledger was edited (its hash is not that in "
      "{})",
      name);
}

[[nodiscard]] std::string list_of(const std::vector<std::string>& faults) {
  std::string list;
  for (std::size_t i = 0; i < std::min(faults.size(), kMostFaultsNamed); ++i) {
    list += (i == 0 ? "" : "; ") + faults[i];
  }
  if (faults.size() > kMostFaultsNamed)
    list += fmt::format("; and {} more", faults.size() - kMostFaultsNamed);
  return list;
}

[[noreturn]] void refuse(const std::vector<std::string>& faults, const std::string& remedy) {
  throw Error(Stop::scope, fmt::format("{}; nothing was done. {}", list_of(faults), remedy));
}

}  // namespace

std::vector<std::string> ledger_faults(const Workspace& workspace, RunRecord& record,
                                       Extent extent) {
  const RunState& run = record.state();
  const ledger::Ledger ledger = record.open_ledger();
  std::vector<std::string> faults;
  if (std::string fault = seal_fault(workspace.repository(), ledger, run); !fault.empty()) {
    faults.push_back(std::move(fault));
  }
  // An index that did not fit may have been made again from a ledger that was edited.
  if (extent == Extent::whole || !record.ledger_notes().empty())
    std::ranges::move(ledger.inspect().faults, std::back_inserter(faults));
  return faults;
}

std::vector<std::string> reference_faults(const repo::Repository& repository,
                                          const Status& status) {
  std::vector<std::string> faults;
  for (const ledger::Experiment& experiment : status.experiments) {
    const std::string name = reference_of(status.run.tag, experiment.number);
    const auto commit = repository.reference(name);
    if (commit == experiment.commit) continue;
    faults.push_back(fmt::format("{} {}, not {}", name,
                                 commit ? "is at " + short_id(*commit) : "is gone",
                                 short_id(experiment.commit)));
  }
  return faults;
}

void require_untampered(const Workspace& workspace, RunRecord& record,
                        const std::vector<std::filesystem::path>& harness, Extent extent) {
  const repo::Repository& repository = workspace.repository();
  const Folders& folders = workspace.folders();
  const Status& status = record.status();
  if (const auto faults = harness_faults(status.run.harness, harness); !faults.empty()) {
    refuse(faults,
           "Measurements by two programs are not one record: restore it, or start a new run from "
           "here ('autokernel loop start TAG')");
  }
  if (const auto faults = ledger_faults(workspace, record, extent); !faults.empty()) {
    record.open_ledger().forget_index();
    const auto second = ledger_backup(repository, folders);
    refuse(faults, second.empty() ? "'autokernel verify-run' shows what of the run still holds; a "
                                    "new run starts from here with 'autokernel loop start TAG'"
                                  : fmt::format("'cp {} {}' restores what was written",
                                                second.string(), folders.ledger().string()));
  }
  if (extent == Extent::whole) {
    if (const auto faults = reference_faults(repository, status); !faults.empty()) {
      refuse(faults,
             "'git update-ref NAME COMMIT' restores one; 'autokernel log --json' has the commits");
    }
  }
  require_results(folders, status);
  if (const std::string fault =
          results_fault(folders, status, [&] { return record.open_ledger().rows(); });
      !fault.empty()) {
    refuse({fault}, fmt::format("The ledger has every row: remove {}, and it is rebuilt",
                                folders.results().string()));
  }
}

}  // namespace autokernel::loop
