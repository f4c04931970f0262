#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>
#include <variant>

#include "autokernel/base/error.h"
#include "autokernel/base/interrupts.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/compile/normalized_source.h"
#include "autokernel/ledger/results_table.h"
#include "autokernel/trial/other_device.h"
#include "autokernel/trial/record.h"
#include "autokernel/trial/verdicts.h"
#include "loop/experiment_fields.h"
#include "loop/git_rules.h"
#include "loop/kernel_file.h"
#include "loop/loop_parts.h"
#include "loop/names.h"
#include "loop/run_clock.h"
#include "loop/run_state.h"
#include "loop/scope.h"
#include "loop/seal.h"

namespace autokernel::loop {
namespace {

using Clock = std::chrono::steady_clock;

// Clearly less code: a tenth fewer words and signs. A blank or a comment makes no difference.
constexpr double kSimplerShare = 0.9;

[[nodiscard]] bool is_simpler(const std::string& source, const std::string& than) {
  return static_cast<double>(compile::count_tokens(source)) <=
         kSimplerShare * static_cast<double>(compile::count_tokens(than));
}

// A file that holds an idea ends with a line end, which has become a blank.
[[nodiscard]] std::string trimmed(const std::string& text) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

// The branch must be where the last experiment left it: a commit of anybody else's has no
// experiment, and nothing is compared with it.
void require_own_head(const repo::Repository& repository, const Status& status) {
  const repo::Head head = repository.head();
  if (head.commit == status.best.commit) return;
  throw Error(
      Stop::repository,
      fmt::format("{} is at {}, not at {}, the best so far: something else moved it. 'git reset "
                  "--soft {}' moves it back and leaves every file as it is",
                  head.branch, short_id(head.commit), name_of(status.best), status.best.commit));
}

void require_new_source(const Status& status, const std::string& digest, bool again) {
  if (digest == status.best.source_digest) {
    throw Error(
        Stop::usage,
        fmt::format("{} is the same as in {}, except for comments and white space: edit it first",
                    status.run.editable, name_of(status.best)));
  }
  if (again) return;
  const auto earlier = std::ranges::find_if(
      status.experiments.rbegin(), status.experiments.rend(), [&](const auto& experiment) {
        return experiment.source_digest == digest && experiment.verdict != "interrupted";
      });
  if (earlier == status.experiments.rend()) return;
  throw Error(Stop::usage,
              fmt::format("this source was tried before: {}, \"{}\": {}{}{}; --again tries it once "
                          "more",
                          name_of(*earlier), earlier->description, earlier->verdict,
                          earlier->reason.empty() ? "" : ", ", earlier->reason));
}

[[nodiscard]] std::string message_of(int number, const std::string& tag, const std::string& idea) {
  return fmt::format("{}\n\nExperiment {} of the autokernel run {}.\n", idea, number, tag);
}

// What the verdict of a trial means for the experiment.
void decide(ledger::Experiment& experiment, const trial::Result& result, bool kept_as_simpler,
            const std::string& simpler_reason) {
  experiment.verdict = trial::finding(result).in_loop;
  if (result.verdict != trial::Verdict::correct) {
    experiment.status = ledger::Status::crash;
    experiment.reason = result.reason;
    return;
  }
  if (!result.comparison) {
    throw Error(Stop::internal, "the runner did not compare the kernel");
  }
  const trial::PairedComparison& comparison = *result.comparison;
  experiment.reason = comparison.reason;
  experiment.status = ledger::Status::discard;
  if (comparison.outcome == trial::Outcome::faster) {
    experiment.status = ledger::Status::keep;
  } else if (kept_as_simpler) {
    experiment.status = ledger::Status::keep;
    experiment.verdict = trial::finding(trial::Outcome::faster).in_loop;
    experiment.reason += simpler_reason;
  }
}

// Whether the journal still speaks of a trial without a verdict. Once it has the verdict, the next
// command does the rest.
[[nodiscard]] bool is_undecided(const Folders& folders) {
  const std::optional<Journal> journal = read_journal(folders.journal());
  return journal && std::holds_alternative<Trying>(*journal);
}

}  // namespace

Step Loop::step(const StepOptions& options) {
  Parts& parts = *parts_;
  const repo::Repository& repository = parts.repository;
  const Folders& folders = parts.folders;
  const auto begun = Clock::now();
  const std::string idea = trimmed(visible_line(options.idea));
  if (idea.empty()) {
    throw Error(Stop::usage, "an experiment needs its idea in a sentence: -m \"tiles of 64 x 64\"");
  }
  parts.repair();
  parts.require_quiet_head();
  RunState& state = parts.look();
  Status& status = state.status;
  const ledger::RunStarted& run = status.run;
  require_own_head(repository, status);
  if (!options.over_budget && status.is_budget_used_up()) {
    throw Error(Stop::budget,
                fmt::format("no more experiments in run {}: {}; 'autokernel loop finish' measures "
                            "the gain again, --over-budget continues",
                            run.tag, status.why_stop()));
  }
  require_same_rules(repository, run);
  require_nothing_strayed(status);
  parts.require_untampered(state, Extent::end);
  // What is no file at all, git has words for.
  const std::filesystem::path edited = folders.root() / run.editable;
  if (std::error_code gone; std::filesystem::is_regular_file(edited, gone)) {
    if (const std::string fault = kernel_file_fault(edited); !fault.empty()) {
      throw Error(Stop::usage,
                  fmt::format("cannot try {0}: it {1}; 'git checkout -- {0}' reverts the edit",
                              run.editable, fault));
    }
  }
  if (repository.file_matches(status.best.commit, run.editable)) {
    throw Error(Stop::usage, fmt::format("nothing to try: {} is the same as in {}; edit it first",
                                         run.editable, name_of(status.best)));
  }

  trial::Request request = parts.request(run, unchanged_case(repository, run));
  Trying trying{.branch = run.branch, .editable = run.editable, .experiment = {}};
  ledger::Experiment& experiment = trying.experiment;
  experiment.at = now_utc();
  experiment.tag = run.tag;
  experiment.number = status.experiments.back().number + 1;
  experiment.description = idea;
  experiment.incumbent = status.best.commit;
  experiment.log = Folders::log(run.tag, experiment.number);
  // The bytes that are judged are those that git keeps, and those that a checkout of them writes:
  // of a file that a program filters, not even a commit is to be made.
  require_faithful_checkout(repository, status.best.commit, run.editable);
  experiment.commit = repository.commit_file(status.best.commit, run.editable,
                                             message_of(experiment.number, run.tag, idea));
  require_faithful_checkout(repository, experiment.commit, run.editable);
  request.source = parts.source_at(experiment.commit, run.editable);
  experiment.source_digest = digest_of(request.source);
  require_new_source(status, experiment.source_digest, options.again);
  request.incumbent = {.name = name_of(status.best),
                       .source = parts.source_at(status.best.commit, run.editable),
                       .min_gain = run.min_gain};
  const bool is_shorter = options.simpler && is_simpler(request.source, request.incumbent->source);
  request.incumbent->as_fast_will_do = is_shorter;

  const std::string reference = reference_of(run.tag, experiment.number);
  parts.at("committed");
  write_journal(folders.journal(), trying);
  parts.at("trying");
  trial::Result result;
  try {
    repository.set_reference(reference, experiment.commit);
    parts.at("referenced");
    result = parts.measure(request, experiment.log);
  } catch (const Interrupted&) {
    parts.apply(interrupted(trying, repository, folders));
    parts.say(
        fmt::format("experiment {0} is recorded as interrupted, and {1} was restored to the "
                    "incumbent; 'autokernel restore {0}' brings its source back",
                    experiment.number, run.editable));
    parts.known.reset();  // it has one experiment more
    throw;
  } catch (const trial::OtherDevice& error) {
    undo_step(repository, folders, reference);
    throw Error(error.stop(),
                fmt::format("{}; a new run from here measures its baseline on this device: "
                            "'git stash && autokernel loop start TAG && git stash pop'",
                            error.what()));
  } catch (const Error&) {
    // The machine's fault: there was no experiment, and the edit stays where it is.
    undo_step(repository, folders, reference);
    throw;
  }
  parts.at("measured");

  const bool simpler = is_shorter && result.comparison && result.comparison->as_fast;
  decide(experiment, result, simpler,
         fmt::format("; kept as the simpler one: {} tokens instead of {}",
                     compile::count_tokens(request.source),
                     compile::count_tokens(request.incumbent->source)));
  fill_in(experiment, result);
  experiment.seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  try {
    experiment.result = trial::record(request, result, experiment.log);

    const bool kept = experiment.status == ledger::Status::keep;
    Recording recording;
    recording.what = fmt::format("experiment {}", experiment.number);
    recording.branch = run.branch;
    recording.editable = run.editable;
    recording.references = {{reference, experiment.commit}};
    add_entries(recording, repository, folders, run.tag, {experiment});
    recording.results =
        ledger::results_append(folders.results(), {ledger::results_row(experiment)});
    if (kept) {
      recording.from = experiment.incumbent;
      recording.to = experiment.commit;
    }
    recording.file_from = kept ? experiment.commit : experiment.incumbent;
    parts.apply(recording);
  } catch (const Error&) {
    if (is_undecided(folders)) {
      undo_step(repository, folders, reference);
      parts.say(fmt::format("experiment {} could not be recorded: the edit stays in {}",
                            experiment.number, run.editable));
    }
    throw;
  }
  std::optional<double> time_us = status.best_us();
  if (time_us && experiment.gain) *time_us *= 1 - experiment.gain->estimate;
  if (!experiment.gain) time_us.reset();
  add_to(status, ledger::Experiment(experiment));
  return Step{.experiment = std::move(experiment),
              .result = std::move(result),
              .run = run,
              .time_us = time_us,
              .next = status.next()};
}

}  // namespace autokernel::loop
