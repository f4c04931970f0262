#include "cli/plan_efforts.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <variant>

#include "autokernel/base/error.h"
#include "autokernel/ledger/ledger.h"
#include "autokernel/repo/repository.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kSecondsPerHour = 3600;

// The time that the kernel of the program takes over that of the best of a run, which is compared
// with it in every measurement. A confirmation by `loop finish` counts more than one measurement.
struct Best {
  double speedup = 1;
  std::optional<ledger::Confirmed> confirmed;
};

class Efforts {
 public:
  void take(const ledger::RunStarted& run) { case_of_tag_[run.tag] = run.case_directory; }
  void take(const ledger::Turn& turn) { of(turn.tag).hours += turn.seconds / kSecondsPerHour; }
  void take(const ledger::Experiment& experiment) {
    programs::Effort& effort = of(experiment.tag);
    effort.hours += experiment.seconds / kSecondsPerHour;
    if (experiment.verdict != "baseline") {
      ++effort.experiments;
      ++effort.without_gain;
    }
    if (experiment.status != ledger::Status::keep) return;
    if (experiment.verdict != "baseline") effort.without_gain = 0;
    Best& best = best_[case_of_tag_[experiment.tag]];
    best.speedup = std::max(experiment.vs_reference.value_or(1), 1.0);
    best.confirmed.reset();
  }
  void take(const ledger::RunResumed& /*resumed*/) {}
  void take(const ledger::Ablation& ablation) {
    of(ablation.tag).hours += ablation.seconds / kSecondsPerHour;
  }
  void take(const ledger::RunFinished& finished) {
    (void)of(finished.tag);
    best_[case_of_tag_[finished.tag]].confirmed = finished.over_library;
  }

  // Of the case in that folder, by its path from the repository's root.
  [[nodiscard]] std::optional<programs::Effort> found(const std::string& folder,
                                                      int plateau) const {
    const auto effort = efforts_.find(folder);
    if (effort == efforts_.end()) return std::nullopt;
    programs::Effort complete = effort->second;
    complete.is_plateau = complete.without_gain >= plateau;
    const auto best = best_.find(folder);
    if (best == best_.end()) return complete;
    complete.speedup = complete.low = complete.high = best->second.speedup;
    if (const auto& confirmed = best->second.confirmed) {
      complete.speedup = std::max(confirmed->ratio, 1.0);
      complete.low = std::max(confirmed->low, 1.0);
      complete.high = std::max(confirmed->high, 1.0);
    }
    return complete;
  }

 private:
  programs::Effort& of(const std::string& tag) { return efforts_[case_of_tag_[tag]]; }

  std::map<std::string, std::string> case_of_tag_;
  std::map<std::string, programs::Effort> efforts_;  // by case
  std::map<std::string, Best> best_;
};

}  // namespace

std::vector<programs::Effort> efforts_of(const fs::path& folder,
                                         const std::vector<programs::ExtractedCase>& cases,
                                         int plateau) {
  if (cases.empty()) return {};
  std::error_code failed;
  const fs::path real = fs::canonical(folder, failed);
  if (failed) return {};
  std::optional<repo::Repository> repository;
  try {
    repository.emplace(repo::Repository::open(real));
  } catch (const Error&) {
    return {};  // nobody can have worked on cases that lie in no repository
  }
  Efforts efforts;
  const ledger::Ledger ledger = ledger::Ledger::open_to_read(repository->root() / ".autokernel");
  ledger.hand_over([&](const ledger::LineSpan&, ledger::Entry&& entry) {
    std::visit([&](const auto& each) { efforts.take(each); }, entry);
  });
  std::vector<programs::Effort> found;
  for (const programs::ExtractedCase& each : cases) {
    const std::string path = repository->relative(real / each.folder);
    auto effort = efforts.found(path, plateau);
    if (!effort) continue;
    effort->folder = each.folder;
    found.push_back(*std::move(effort));
  }
  return found;
}

}  // namespace autokernel::cli
