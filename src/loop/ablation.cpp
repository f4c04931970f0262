#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/loop/loop.h"
#include "autokernel/trial/verdicts.h"
#include "loop/editable_set.h"
#include "loop/experiment_fields.h"
#include "loop/folders.h"
#include "loop/git_rules.h"
#include "loop/goal_trials.h"
#include "loop/measurer.h"
#include "loop/names.h"
#include "loop/run_clock.h"
#include "loop/run_record.h"
#include "loop/scope.h"
#include "loop/seal.h"
#include "loop/tampering.h"
#include "loop/workspace.h"

namespace autokernel::loop {
namespace {

// By path from the case's folder, the main file among them.
using Sources = std::map<std::string, std::string>;

[[nodiscard]] Sources sources_at(const repo::Repository& repository, const EditableSet& editable,
                                 const std::string& commit) {
  cases::KernelSource source = editable.source_at(repository, commit);
  Sources all = std::move(source.files);
  all[source.name] = std::move(source.text);
  return all;
}

[[nodiscard]] std::optional<std::string> file_in(const Sources& sources, const std::string& path) {
  const auto found = sources.find(path);
  return found == sources.end() ? std::nullopt : std::optional(found->second);
}

// The best with what the experiment changed changed back; none where later changes are to the same
// lines, or nothing is left of it.
struct Rest {
  Sources sources;
  std::string fault;  // why there is none
};
[[nodiscard]] Rest rest_of(const Sources& best, const Sources& with, const Sources& before) {
  std::set<std::string> paths;
  for (const Sources* sources : {&best, &with, &before}) {
    for (const auto& [path, text] : *sources) paths.insert(path);
  }
  Rest rest;
  for (const std::string& path : paths) {
    const auto merged =
        repo::Repository::merge(file_in(with, path), file_in(best, path), file_in(before, path));
    if (!merged) {
      rest.fault = fmt::format("later changes are to the same lines of {}", path);
      return rest;
    }
    if (merged->bytes) rest.sources[path] = *merged->bytes;
  }
  if (rest.sources == best) rest.fault = "nothing of it is left in the best";
  return rest;
}

[[nodiscard]] const ledger::Experiment& kept_experiment(const Status& status, int number) {
  const auto found = std::ranges::find(status.experiments, number, &ledger::Experiment::number);
  if (found != status.experiments.end() && number != 0 && found->status == ledger::Status::keep) {
    return *found;
  }
  throw Error(Stop::usage,
              fmt::format("experiment {} is none that run {} has kept: 'autokernel log "
                          "--status keep' lists them",
                          number, status.run.tag));
}

[[nodiscard]] std::vector<int> chosen(const Status& status, const std::vector<int>& numbers) {
  if (!numbers.empty()) {
    for (const int number : numbers) static_cast<void>(kept_experiment(status, number));
    return numbers;
  }
  std::vector<int> all;
  for (const ledger::Experiment& experiment : status.experiments) {
    if (experiment.number != 0 && experiment.status == ledger::Status::keep)
      all.push_back(experiment.number);
  }
  if (all.empty())
    throw Error(Stop::usage,
                fmt::format("run {} has kept nothing that could be taken out", status.run.tag));
  return all;
}

class Ablator {
 public:
  Ablator(const repo::Repository& repository, const Measurer& measurer, const Status& status,
          const cases::CaseFiles& files)
      : repository_(repository),
        measurer_(measurer),
        status_(status),
        files_(files),
        editable_(status.run),
        best_(sources_at(repository, editable_, status.best.commit)) {}

  [[nodiscard]] Rest without(const ledger::Experiment& experiment) const {
    return rest_of(best_, sources_at(repository_, editable_, experiment.commit),
                   sources_at(repository_, editable_, experiment.incumbent));
  }

  [[nodiscard]] ledger::Ablation take_out(const ledger::Experiment& experiment) const {
    const auto begun = std::chrono::steady_clock::now();
    ledger::Ablation found;
    found.at = now_utc();
    found.tag = status_.run.tag;
    found.best = status_.best.commit;
    found.number = experiment.number;
    const Rest rest = without(experiment);
    if (rest.fault.empty()) {
      judge(rest.sources, found);
    } else {
      found.verdict = "entangled";
      found.reason = rest.fault;
    }
    found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    return found;
  }

 private:
  // First whether the rest is right at all: it is the incumbent afterwards, which has to be.
  void judge(const Sources& rest, ledger::Ablation& found) const {
    const std::string log = Folders::ablation_log(found.tag, found.number);
    trial::Request alone = measurer_.request(status_.run, files_, status_.best.commit);
    const std::string main = main_name();
    alone.source = rest.contains(main) ? rest.at(main) : "";
    alone.files = rest;
    alone.files.erase(main);
    alone.samples = 1;  // whatever it takes
    const trial::Result right = measurer_.measure(alone, log);
    if (right.verdict != trial::Verdict::correct) {
      found.verdict = "needed";
      found.reason = fmt::format("without it, the rest is {}: {}", trial::spelling(right.verdict),
                                 right.reason);
      return;
    }
    trial::Request request = measurer_.request(status_.run, files_, status_.best.commit);
    request.incumbent =
        trial::Incumbent{.name = fmt::format("the best without experiment {}", found.number),
                         .source = alone.source,
                         .min_gain = status_.run.min_gain,
                         .files = alone.files};
    const GoalTrials trials(measurer_, status_.run, files_);
    const trial::Result result = trials.measure(request, log).result;
    if (result.verdict != trial::Verdict::correct) {
      throw Error(Stop::environment,
                  fmt::format("cannot measure {}: it is {}: {}", name_of(status_.best),
                              trial::spelling(result.verdict), result.reason));
    }
    found.gain = gain_of(result);
    if (!result.comparison) throw Error(Stop::internal, "the trial did not compare");
    found.reason = result.comparison->reason;
    found.verdict = result.comparison->outcome == trial::Outcome::faster       ? "pays"
                    : result.comparison->outcome == trial::Outcome::not_faster ? "does not pay"
                                                                               : "not clear";
  }

  [[nodiscard]] std::string main_name() const {
    return editable_.source_at(repository_, status_.best.commit).name;
  }

  const repo::Repository& repository_;
  const Measurer& measurer_;
  const Status& status_;
  const cases::CaseFiles& files_;
  EditableSet editable_;
  Sources best_;
};

}  // namespace

std::vector<ledger::Ablation> Loop::ablate(
    const std::vector<int>& numbers, const std::function<void(const ledger::Ablation&)>& tell) {
  const repo::Repository& repository = workspace_->repository();
  record_->repair();
  workspace_->require_quiet_head();
  // As it was: what is recorded meanwhile changes nothing of it.
  const Status status = record_->look().status;
  require_same_rules(repository, status.run);
  require_nothing_strayed(status);
  require_untampered(*workspace_, *record_, measurer_->harness(), Extent::whole);
  const std::vector<int> all = chosen(status, numbers);
  const cases::CaseFiles files = unchanged_case(repository, status.run);
  const Ablator ablator(repository, *measurer_, status, files);
  std::vector<ledger::Ablation> found;
  for (const int number : all) {
    found.push_back(ablator.take_out(kept_experiment(status, number)));
    Recording recording;
    recording.what = fmt::format("the ablation of experiment {}", number);
    recording.branch = status.run.branch;
    recording.editable = status.run.editable;
    add_entries(recording, repository, workspace_->folders(), status.run.tag, {found.back()});
    record_->apply(recording);
    tell(found.back());
  }
  return found;
}

void Loop::take_out(int number) {
  const repo::Repository& repository = workspace_->repository();
  record_->repair();
  const Status& status = record_->look().status;
  const EditableSet editable(status.run);
  if (!editable.matches(repository, status.best.commit)) {
    throw Error(Stop::repository,
                fmt::format("{} {} not as in {}: an edit there would be lost; try it with "
                            "'autokernel loop step', or revert it",
                            editable.names(), status.run.editable_files.empty() ? "is" : "are",
                            name_of(status.best)));
  }
  const cases::CaseFiles files = unchanged_case(repository, status.run);
  const Ablator ablator(repository, *measurer_, status, files);
  const Rest rest = ablator.without(kept_experiment(status, number));
  if (!rest.fault.empty()) {
    throw Error(Stop::usage,
                fmt::format("experiment {} cannot be taken out by itself: {}", number, rest.fault));
  }
  const std::filesystem::path folder = repository.root() / status.run.case_directory;
  for (const auto& [path, text] : sources_at(repository, editable, status.best.commit)) {
    std::error_code failed;
    if (!rest.sources.contains(path)) std::filesystem::remove(folder / path, failed);
  }
  for (const auto& [path, text] : rest.sources) {
    make_folders_below(folder, std::filesystem::path(path).parent_path(), Stop::repository);
    write_file_atomically(folder / path, text, Sync::yes);
  }
}

}  // namespace autokernel::loop
