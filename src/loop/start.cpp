#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/ledger/results_table.h"
#include "autokernel/trial/goal.h"
#include "autokernel/trial/record.h"
#include "autokernel/trial/verdicts.h"
#include "loop/editable_set.h"
#include "loop/experiment_fields.h"
#include "loop/git_rules.h"
#include "loop/goal_trials.h"
#include "loop/harness_files.h"
#include "loop/ledger_backup.h"
#include "loop/measurer.h"
#include "loop/names.h"
#include "loop/run_clock.h"
#include "loop/run_record.h"
#include "loop/scope.h"
#include "loop/seal.h"
#include "loop/workspace.h"

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestTag = 64;

// A tag becomes a part of the names of branches, references and files.
void require_tag(const std::string& tag) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  const bool sound = !tag.empty() && tag.size() <= kLongestTag &&
                     std::ranges::all_of(tag, allowed) && tag.front() != '-' &&
                     tag.front() != '.' && !tag.ends_with(".lock") && tag.back() != '.' &&
                     tag.find("..") == std::string::npos;
  if (sound) return;
  throw Error(Stop::usage,
              fmt::format("not a name for a run: '{}'; a tag has 1 to {} letters, digits, '-', '_' "
                          "and '.', as in 'tiles-2'; it does not begin with '-' or '.', does not "
                          "end in '.' or '.lock', and has no '..'",
                          tag, kLongestTag));
}

void require_new(const repo::Repository& repository, const std::string& tag,
                 const std::string& branch) {
  if (repository.reference("refs/heads/" + branch)) {
    throw Error(Stop::repository, fmt::format("the branch {0} already exists: continue that run "
                                              "with 'git switch {0}', or choose another tag",
                                              branch));
  }
  if (repository.reference("refs/heads/autokernel")) {
    throw Error(Stop::repository, "a branch named 'autokernel' blocks the branch " + branch +
                                      ": rename it, 'git branch -m autokernel NAME'");
  }
  // Git cannot have a branch and another below its name.
  if (repository.has_references_below("refs/heads/" + branch)) {
    throw Error(Stop::repository,
                fmt::format("there are branches below the name {0} ('git branch --list "
                            "\"{0}/*\"'), which block that branch: choose another tag",
                            branch));
  }
  const std::string experiments = "refs/autokernel/" + tag;
  if (repository.reference(experiments) || repository.has_references_below(experiments)) {
    throw Error(Stop::repository,
                fmt::format("an earlier run was called {0}: its experiments are below "
                            "refs/autokernel/{0}; choose another tag",
                            tag));
  }
}

void require_clean(const repo::Repository& repository, const std::string& commit,
                   const EditableSet& editable) {
  if (const std::string fault = editable.fault(repository.root()); !fault.empty()) {
    throw Error(Stop::repository,
                fmt::format("{} in {}: it is to be edited; put a kernel there, and commit it",
                            fault, repository.root().string()));
  }
  const std::vector<repo::Change> changes = repository.changes();
  for (const std::string& path : editable.anywhere(repository, {commit})) {
    if (!repository.blob_at(commit, path)) {
      throw Error(Stop::repository,
                  fmt::format("{} is not committed: commit it first, 'git add -f {} && git commit'",
                              path, quoted(path)));
    }
    if (!repository.file_matches(commit, path) ||
        std::ranges::find(changes, path, &repo::Change::path) != changes.end()) {
      throw Error(
          Stop::repository,
          fmt::format("{} has uncommitted changes: commit them, or revert them with 'git checkout "
                      "HEAD -- {}'",
                      path, quoted(path)));
    }
  }
}

// What says something of kernels alone.
void require_no_kernel_options(const StartOptions& options, const HiddenSizes& hidden) {
  const char* const option = !options.architecture.empty() ? "--arch"
                             : options.size != "default"   ? "--size"
                             : hidden.are_given()          ? "--hidden-sizes"
                                                           : nullptr;
  if (option == nullptr) return;
  throw Error(Stop::usage, fmt::format("{} is for kernels, and this case is one of commands "
                                       "([command] in case.toml): leave it out",
                                       option));
}

// Where the rows of an earlier run go, if there are any.
[[nodiscard]] std::string results_aside(const Folders& folders) {
  std::error_code unreadable;
  const std::string text =
      folders.read(folders.results(), "the results of an earlier run").value_or("");
  const std::size_t first = text.find('\n');
  if (first == std::string::npos || text.find_first_not_of("\r\n", first) == std::string::npos) {
    return {};
  }
  folders.make_below(folders.aside());
  for (int i = 1;; ++i) {
    const fs::path file = folders.aside() / fmt::format("results-{}.tsv", i);
    if (!fs::exists(file, unreadable)) return file.string();
  }
}

}  // namespace

Loop::Started Loop::start(const StartOptions& options) {
  const repo::Repository& repository = workspace_->repository();
  const Folders& folders = workspace_->folders();
  require_tag(options.tag);
  record_->repair();
  workspace_->require_quiet_head();
  const repo::Head head = repository.head();
  if (head.commit.empty()) {
    throw Error(Stop::repository, "there is no commit in " + folders.root().string() +
                                      " yet: 'git add -A && git commit' makes one");
  }
  ledger::RunStarted run;
  run.at = now_utc();
  run.program = "autokernel " AUTOKERNEL_VERSION;
  run.tag = options.tag;
  run.branch = "autokernel/" + options.tag;
  run.base = head.commit;
  run.case_directory = repository.relative(options.case_directory);
  run.device = trial::spelling(options.device);
  run.arch = options.architecture;
  run.size = options.size;
  run.budget = options.budget;
  require_new(repository, run.tag, run.branch);
  cases::CaseFiles files = cases::read_files(options.case_directory);
  const cases::Case problem = cases::parse(files);
  if (problem.command) require_no_kernel_options(options, measurer_->hidden_sizes());
  run.editable = repository.relative(problem.kernel_file());
  run.editable_files = problem.editable_files.patterns();
  // At another size the sizes of the score, which may be large, are not what is wanted.
  if (run.size == "default" && problem.goal.score.size() > 1) run.score = problem.goal.score;
  run.hidden_sizes = measurer_->hidden_sizes().digest();
  run.guarded = guarded_files(repository, files);
  run.headers = digests_of(files.headers);
  const EditableSet editable(run);
  require_clean(repository, head.commit, editable);
  if (const repo::Identity who = repository.identity(); who.is_fallback) {
    workspace_->say(fmt::format("git has no user.name here: experiments are committed as {} <{}>",
                                who.name, who.email));
  }
  run.unsaved = unsaved_files(repository, editable);

  run.git_rules = rules_now(repository);
  require_faithful_checkout(repository, head.commit, editable);
  run.harness = harness_files(measurer_->harness());

  ledger::Experiment baseline;
  baseline.at = run.at;
  baseline.tag = run.tag;
  baseline.description = "baseline";
  baseline.status = ledger::Status::keep;
  baseline.verdict = trial::finding(trial::Verdict::correct).in_loop;
  baseline.commit = head.commit;
  baseline.log = Folders::log(run.tag, 0);
  const GoalTrials trials(*measurer_, run, files);
  const trial::Request request = measurer_->request(run, std::move(files), head.commit);
  baseline.source_digest = digest_of({request.source, request.files},
                                     problem.command ? Written::anyhow : Written::in_cuda);
  Started started;
  Judged judged = trials.measure(request, baseline.log);
  started.result = std::move(judged.result);
  const trial::Result& result = started.result;
  if (result.verdict != trial::Verdict::correct) return started;

  if (const std::string fault = trial::guard_fault(problem.goal, result); !fault.empty()) {
    workspace_->say(
        fmt::format("the baseline is over a guard-rail of the case: {}; nothing is kept "
                    "until a kernel is within it",
                    fault));
  }
  run.device_name = result.device ? result.device->name : "";
  run.driver_version = result.versions.contains("driver") ? result.versions.at("driver") : "";
  run.min_gain = options.min_gain.value_or(
      problem.command ? problem.command->min_gain
                      : trial::default_min_gain(result.device.value_or(trial::DeviceReport{})));
  fill_in(baseline, result, std::move(judged.sizes));
  baseline.seconds = result.total_seconds;
  baseline.result = trial::record(request, result, baseline.log);

  Recording recording;
  recording.what = "the start of run " + run.tag;
  recording.branch = run.branch;
  recording.editable = run.editable;
  recording.references = {{reference_of(run.tag, 0), head.commit}};
  add_entries(recording, repository, folders, run.tag, {run, baseline});
  recording.results_aside = results_aside(folders);
  recording.results =
      recording.results_aside.empty()
          ? ledger::results_append(folders.results(), {ledger::results_row(baseline)})
          : ledger::Append{.at = ledger::results_header().size(),
                           .text = ledger::results_line(ledger::results_row(baseline))};
  recording.to = head.commit;
  record_->apply(recording);
  static_cast<void>(keep_ledger(repository, folders));
  started.moved_aside = recording.results_aside;

  RunStateReader reader(run.branch, 2);
  const std::uint64_t length_of_first = recording.ledger.text.find('\n') + 1;
  reader.take({.offset = recording.ledger.at, .length = length_of_first}, run);
  reader.take({.offset = recording.ledger.at + length_of_first,
               .length = recording.ledger.text.size() - length_of_first},
              baseline);
  const Status& status = record_->adopt(std::move(reader).state(), run.branch).status;
  started.step = Step{.experiment = baseline,
                      .result = result,
                      .run = run,
                      .time_us = baseline.median_us,
                      .next = status.next()};
  return started;
}

}  // namespace autokernel::loop
