#include "loop/loop_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "loop/names.h"
#include "loop/run_clock.h"
#include "loop/scope.h"
#include "loop/seal.h"

namespace autokernel::loop {
namespace {

// What a run compares with ran when it was committed. Where it does not now, the machine is to
// blame, and not, as in a bench, whoever named it.
template <typename Measure>
[[nodiscard]] trial::Result held_against_machine(const trial::Request& request,
                                                 const Measure& measure) {
  try {
    return measure();
  } catch (const Error& error) {
    if (!request.incumbent || error.stop() != Stop::usage) throw;
    throw Error(Stop::environment,
                fmt::format("{}; it ran when it was committed: check the machine, and try again",
                            error.what()));
  }
}

}  // namespace

RunState& Loop::Parts::state() { return known ? *known : read_state(repository.head().branch); }

RunState& Loop::Parts::look() {
  // First of all, who holds the lock clears away what a killed program was writing.
  if (lock) static_cast<void>(state());
  const std::string branch = repository.head().branch;
  // The ledger is read while git looks at all files: neither needs the other, and an agent asks for
  // both before every edit. Where there is no room for a thread, one comes after the other.
  std::future<RunState&> reading =
      std::async([&]() -> RunState& { return known ? *known : read_state(branch); });
  const std::vector<repo::Change> changes = repository.changes(Folders::are_own);
  RunState& run = reading.get();
  run.status.strayed = list_of(strayed_files(repository, run.status.run, changes));
  return run;
}

RunState& Loop::Parts::read_state(const std::string& branch) {
  const ledger::Ledger ledger = open_ledger();
  for (const std::string& note : ledger.notes()) say(note);
  ledger_notes = ledger.notes();
  RunStateReader reader(branch, ledger.lines());
  ledger.hand_over([&](const ledger::LineSpan& line, ledger::Entry&& entry) {
    reader.take(line, std::move(entry));
  });
  RunState& run = adopt(std::move(reader).state(), branch);
  // Of a restore or a turn's tidying up that was killed: no journal names the file.
  if (lock) remove_unfinished_writes(folders.root() / run.status.run.editable);
  return run;
}

RunState& Loop::Parts::adopt(std::optional<RunState> found, const std::string& branch) {
  if (!found) {
    throw Error(Stop::repository,
                branch.starts_with("autokernel/")
                    ? fmt::format("there is no record of a run on {} in {}; start a new one from "
                                  "here: autokernel loop start TAG",
                                  branch, folders.own().string())
                    : fmt::format("no run on {}: start one with 'autokernel loop start TAG', or "
                                  "switch to one with 'git switch autokernel/TAG'",
                                  branch.empty() ? "a detached head" : branch));
  }
  found->status.hours = hours_of(found->status);
  found->status.under_way = under_way;
  return known.emplace(*std::move(found));
}

std::string Loop::Parts::source_at(const std::string& commit, const std::string& editable) const {
  if (auto source = repository.file_at(commit, editable)) return *std::move(source);
  throw Error(Stop::repository, fmt::format("commit {} holds no {}", short_id(commit), editable));
}

trial::Request Loop::Parts::request(const ledger::RunStarted& run, cases::CaseFiles files) const {
  trial::Request request;
  request.case_directory = folders.root() / run.case_directory;
  request.case_files = std::move(files.bytes);
  request.kernel_file = folders.root() / run.editable;
  request.device = trial::parse_device(run.device);
  request.architecture = run.arch;
  request.size = run.size;
  // Whoever edits the kernel could write to the cache as well.
  request.cached = false;
  if (!run.device_name.empty()) request.known_device = {run.device_name, run.driver_version};
  return request;
}

trial::Result Loop::Parts::measure(const trial::Request& request, const std::string& log) const {
  std::vector<std::string> notes;
  trial::Observer observer = context.observer;
  observer.note = [&](const std::string& line) {
    notes.push_back(line);
    if (context.observer.note) context.observer.note(line);
  };
  trial::Request planned = request;
  if (context.plan) context.plan(planned);
  trial::Result result = held_against_machine(planned, [&] {
    return trial::supervise_with_retry(planned, context.limits, observer, context.runner);
  });
  keep_log(log, context.log_text(request, result, notes));  // the verdict stands without it
  if (!result.ptx.empty()) keep_log(Folders::ptx(log), result.ptx);
  return result;
}

void Loop::Parts::keep_log(const std::string& log, const std::string& text) const {
  const std::filesystem::path file = folders.root() / log;
  try {
    folders.make_below(file.parent_path());
    write_file_atomically(file, text, Sync::no);
  } catch (const Error& error) {
    say(std::string("cannot keep the log: ") + error.what());
  }
}

std::vector<trial::Result> Loop::Parts::measure_again(const trial::Request& request, int processes,
                                                      const std::string& what) const {
  std::vector<trial::Result> results;
  for (int i = 1; i <= processes; ++i) {
    say(fmt::format("measuring {} of {}: {}", i, processes, what));
    results.push_back(held_against_machine(request, [&] {
      return trial::supervise(request, context.limits, context.observer, context.runner);
    }));
    const trial::Result& result = results.back();
    if (result.conditions && !result.conditions->unclean.empty()) say(result.conditions->unclean);
    if (result.verdict != trial::Verdict::correct) break;
  }
  return results;
}

void Loop::Parts::apply(const Recording& recording) {
  if (known && !recording.ledger.text.empty()) {
    const Seal seal = seal_of(recording.ledger);
    known->last_line = {.offset = seal.offset, .length = seal.length};
  }
  for (const std::string& note : loop::apply(recording, repository, folders, context.reached)) {
    say(note);
  }
}

void Loop::Parts::repair() {
  for (const std::string& repaired : recover(repository, folders, context.reached)) {
    known.reset();
    say(repaired);
  }
}

void Loop::Parts::require_quiet_head() const {
  if (const std::string operation = repository.operation_under_way(); !operation.empty()) {
    throw Error(
        Stop::repository,
        fmt::format("a {0} is in progress in {1}: finish it, or abort it with 'git {0} {2}'",
                    operation, folders.root().string(),
                    operation == "bisect" ? "reset" : "--abort"));
  }
  if (repository.head().branch.empty()) {
    throw Error(Stop::repository, "HEAD of " + folders.root().string() +
                                      " is detached: switch to a branch with 'git switch BRANCH'");
  }
}

}  // namespace autokernel::loop
