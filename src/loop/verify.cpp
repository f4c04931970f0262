#include <fmt/format.h>

#include <utility>

#include "autokernel/base/error.h"
#include "loop/git_rules.h"
#include "loop/goal_trials.h"
#include "loop/harness_files.h"
#include "loop/headline.h"
#include "loop/measurer.h"
#include "loop/names.h"
#include "loop/original_case.h"
#include "loop/results_file.h"
#include "loop/run_checks.h"
#include "loop/run_clock.h"
#include "loop/run_record.h"
#include "loop/tampering.h"
#include "loop/workspace.h"

namespace autokernel::loop {
namespace {

using Verdict = Verification::Verdict;

// What the last finish said of the kernel that is the best by now.
[[nodiscard]] std::optional<ledger::RunFinished> claim_of(const std::vector<ledger::Row>& rows,
                                                          const Status& status) {
  std::optional<ledger::RunFinished> claim;
  for (const ledger::Row& row : rows) {
    const auto* finished = std::get_if<ledger::RunFinished>(&row.entry);
    if (finished == nullptr || finished->tag != status.run.tag) continue;
    claim.reset();
    if (finished->best == status.best.commit) claim = *finished;
  }
  return claim;
}

[[nodiscard]] std::string branch_fault(const repo::Repository& repository, const Status& status) {
  const auto stands_at = repository.reference("refs/heads/" + status.run.branch);
  if (stands_at == status.best.commit) return {};
  return fmt::format("{} {}, not at {}, the last one kept", status.run.branch,
                     stands_at ? "is at " + short_id(*stands_at) : "is gone", name_of(status.best));
}

// Those of the branch that a finish has made of what was kept.
[[nodiscard]] std::vector<std::string> kept_commits(const repo::Repository& repository,
                                                    const Status& status) {
  std::vector<std::string> commits;
  auto commit = repository.reference("refs/heads/" + status.run.branch + "-kept");
  for (int left = status.counts.kept; commit && left > 0; --left) {
    commits.push_back(*commit);
    commit = repository.parent_of(*commit);
  }
  return commits;
}

[[nodiscard]] std::string interval(const ledger::Confirmed& ratio, bool is_metric) {
  return fmt::format("{:.3f} times as {} (95 %: {:.3f} to {:.3f})", ratio.ratio,
                     is_metric ? "good" : "fast", ratio.low, ratio.high);
}

// What the figures say; tampering is a matter of its own.
void judge(Verification& verification, double min_gain) {
  const auto& measured = verification.measured.over_baseline;
  if (!measured) {
    verification.reason = "nothing was kept, and nothing is claimed";
    return;
  }
  const bool is_metric = verification.measured.best_metric.has_value();
  verification.reason = "measured again, the best is " + interval(*measured, is_metric);
  const auto claimed = verification.claimed ? verification.claimed->over_baseline : std::nullopt;
  if (claimed) verification.reason += "; the run claimed " + interval(*claimed, is_metric);
  // Two intervals of the same truth miss each other now and then by a little; the minimum gain is
  // what counts as a little everywhere.
  const bool falls_short = claimed && measured->high * (1 + min_gain) < claimed->low;
  if (measured->high <= 1 || falls_short) {
    verification.verdict = Verdict::does_not_hold;
  } else if (measured->low <= 1) {
    verification.verdict = Verdict::inconclusive;
  }
}

}  // namespace

const char* spelling(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::does_not_hold:
      return "does not hold";
    case Verdict::inconclusive:
      return "inconclusive";
    case Verdict::fails:
      return "fails";
    case Verdict::tampered:
      return "tampered";
  }
  return "unknown";
}

Verification Loop::verify(const std::string& tag, int processes, Python python,
                          const std::optional<driver::DeviceChoice>& device) {
  const repo::Repository& repository = workspace_->repository();
  if (workspace_->is_locked()) record_->repair();
  // The file itself, not its index.
  const ledger::Ledger ledger = record_->open_ledger();
  const ledger::Inspection inspection = ledger.inspect();
  const std::string branch = tag.empty() ? repository.head().branch : "autokernel/" + tag;
  if (!tag.empty()) require_run_among(inspection.rows, tag);
  RunStateReader reader(branch, inspection.rows.size());
  for (const ledger::Row& row : inspection.rows) {
    reader.take({.offset = row.offset, .length = row.length}, ledger::Entry(row.entry));
  }
  const Status& status = record_->adopt(std::move(reader).state(), branch).status;
  const ledger::RunStarted& run = status.run;

  const cases::CaseFiles files = original_case(repository, run);
  if (python == Python::refused && cases::parse(files).command) {
    throw Error(Stop::usage, fmt::format("cannot verify the run {}: its programs are built and run "
                                         "by commands that the record names; --allow lets them "
                                         "run, each confined to a folder of its own",
                                         run.tag));
  }
  if (python == Python::refused && run.editable.ends_with(".py")) {
    throw Error(Stop::usage, fmt::format("cannot verify the run {}: its kernel, {}, is compiled by "
                                         "Python that the record names; --allow lets it run, "
                                         "confined to a folder of its own",
                                         run.tag, run.editable));
  }

  if (!device) require_known_device(run);

  Verification verification;
  verification.status = status;
  verification.entries = inspection.rows.size();
  verification.claimed = claim_of(inspection.rows, status);
  std::vector<std::string>& faults = verification.faults;
  faults = ledger_faults(*workspace_, *record_, Extent::whole);
  if (auto fault = results_fault(workspace_->folders(), status, [&] { return inspection.rows; });
      !fault.empty()) {
    faults.push_back(std::move(fault));
  }
  std::ranges::move(reference_faults(repository, status), std::back_inserter(faults));
  if (auto fault = branch_fault(repository, status); !fault.empty()) {
    faults.push_back(std::move(fault));
  }
  std::ranges::move(case_faults(repository, run), std::back_inserter(faults));
  std::ranges::move(checkout_faults(repository, status, kept_commits(repository, status)),
                    std::back_inserter(faults));
  // Another build of the program is none of the agent's doing, and measures both kernels alike.
  verification.remarks = harness_faults(run.harness, measurer_->harness());
  std::ranges::move(ledger.notes(), std::back_inserter(verification.remarks));
  if (inspection.unchained > 0) {
    verification.remarks.push_back(
        fmt::format("the first {} entries of the ledger are of an earlier version, and not chained",
                    inspection.unchained));
  }

  const GoalTrials trials(*measurer_, run, files);
  trial::Request request = measurer_->request_of_best(status, files);
  request.known_device.reset();
  if (device) request.device = *device;
  ledger::RunFinished& measured = verification.measured;
  measured.at = now_utc();
  measured.tag = run.tag;
  measured.best = status.best.commit;
  measured.processes = processes;
  const std::vector<ResultsAtSize> results =
      trials.measure_again(request, processes, name_of(status.best));
  const trial::Result& last = results.back().results.back();
  verification.device = last.device.value_or(trial::DeviceReport{});
  verification.problem = last.problem;
  verification.library = library_of(last);
  if (verification.device.name != run.device_name) {
    verification.remarks.push_back(
        fmt::format("the run was made on {}, and this is {}: ratios may differ", run.device_name,
                    verification.device.name));
  }
  if (last.verdict == trial::Verdict::correct) {
    summarise(results, measured);
    judge(verification, run.min_gain);
    if (const std::string fault = guard_fault(results); !fault.empty()) {
      verification.verdict = Verdict::does_not_hold;
      verification.reason += "; but " + fault;
    }
  } else {
    verification.verdict = Verdict::fails;
    verification.reason = fmt::format("measured again, {} is {}: {}", name_of(status.best),
                                      trial::spelling(last.verdict), last.reason);
    verification.failure = last;
  }
  if (!faults.empty()) verification.verdict = Verdict::tampered;
  return verification;
}

}  // namespace autokernel::loop
