#include "loop/carry_out.h"

#include <fmt/format.h>

#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/ledger/results_table.h"

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;

void at(const Reached& reached, std::string_view point) {
  if (reached) reached(point);
}

// The rows of an earlier run go where they can be read, and the table begins anew.
void move_results_aside(const Folders& folders, const fs::path& to) {
  std::error_code unreadable;
  if (!fs::exists(folders.results(), unreadable)) return;
  const std::string rows = read_file(folders.results(), "the results of an earlier run");
  if (!fs::exists(to, unreadable)) {
    fs::create_directories(to.parent_path(), unreadable);
    write_file_atomically(to, rows);
  } else if (rows != read_file(to, "the results that were moved aside")) {
    return;  // they have been: what is there now is the new table
  }
  write_file_atomically(folders.results(), ledger::results_header());
}

void set_branch(const Recording& recording, const repo::Repository& repository) {
  if (recording.to.empty()) return;
  const std::string name = "refs/heads/" + recording.branch;
  if (recording.from.empty()) {
    if (!repository.reference(name)) repository.set_reference(name, recording.to);
    repository.switch_head(recording.branch);
  } else if (repository.reference(name) != recording.to) {
    repository.move_branch(recording.branch, recording.from, recording.to);
  }
}

void do_all(const Recording& recording, const repo::Repository& repository, const Folders& folders,
            const Reached& reached) {
  for (const auto& [name, commit] : recording.references) repository.set_reference(name, commit);
  at(reached, "references made");
  // Opening it finishes the append.
  [[maybe_unused]] const auto ledger = ledger::Ledger::open(folders.own(), recording.ledger);
  at(reached, "ledger written");
  if (!recording.results_aside.empty()) move_results_aside(folders, recording.results_aside);
  at(reached, "results aside");
  ledger::finish_append(folders.results(), recording.results);
  at(reached, "results written");
  set_branch(recording, repository);
  at(reached, "branch set");
  if (!recording.file_from.empty()) {
    repository.check_out(recording.file_from, recording.editable);
  }
  at(reached, "file set");
  remove_journal(folders.journal());
}

}  // namespace

std::string reference_of(const std::string& tag, int number) {
  return fmt::format("refs/autokernel/{}/{}", tag, number);
}

ledger::Ledger carry_out(const Recording& recording, const repo::Repository& repository,
                         const Folders& folders, const Reached& reached) {
  write_journal(folders.journal(), recording);
  at(reached, "decided");
  do_all(recording, repository, folders, reached);
  return ledger::Ledger::open(folders.own());
}

Recording interrupted(const Trying& trying, const Folders& folders, std::uint64_t ledger_end) {
  ledger::Experiment experiment = trying.experiment;
  experiment.status = ledger::Status::crash;
  experiment.verdict = "interrupted";
  experiment.reason = "the step ended before there was a verdict";
  Recording recording;
  recording.what = fmt::format("experiment {}", experiment.number);
  recording.branch = trying.branch;
  recording.editable = trying.editable;
  recording.references = {{reference_of(experiment.tag, experiment.number), experiment.commit}};
  recording.ledger = {.at = ledger_end, .text = ledger::lines_of({experiment})};
  recording.results = ledger::results_append(folders.results(), {ledger::results_row(experiment)});
  recording.file_from = experiment.incumbent;
  return recording;
}

std::vector<std::string> recover(const repo::Repository& repository, const Folders& folders,
                                 const Reached& reached) {
  std::vector<std::string> mended;
  const std::optional<Journal> journal = read_journal(folders.journal());
  if (!journal) return mended;
  // A killed program's lock files would stop every git command from here on.
  std::vector<std::string> written = {"HEAD"};
  const auto* recording = std::get_if<Recording>(&*journal);
  const auto* trying = std::get_if<Trying>(&*journal);
  if (recording != nullptr) {
    written.push_back("refs/heads/" + recording->branch);
    for (const auto& reference : recording->references) written.push_back(reference.name);
  } else {
    written.push_back(reference_of(trying->experiment.tag, trying->experiment.number));
  }
  for (const std::string& lock : repository.remove_stale_locks(written)) {
    mended.push_back("removed the lock " + lock + " of a program that was killed");
  }
  if (recording != nullptr) {
    do_all(*recording, repository, folders, reached);
    mended.push_back(recording->what +
                     " was decided when the program was killed: it is recorded now");
  } else {
    const std::uint64_t end = ledger::Ledger::open(folders.own()).end();
    static_cast<void>(carry_out(interrupted(*trying, folders, end), repository, folders, reached));
    mended.push_back(fmt::format(
        "experiment {} was interrupted: it is recorded so, and {} is the incumbent's again; "
        "'autokernel restore {}' puts its source back",
        trying->experiment.number, trying->editable, trying->experiment.number));
  }
  return mended;
}

}  // namespace autokernel::loop
