#include "loop/apply_journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/system_error.h"
#include "autokernel/ledger/results_table.h"
#include "loop/run_reference.h"
#include "loop/seal.h"

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;

using Notes = std::vector<std::string>;

void at(const Reached& reached, std::string_view point) {
  if (reached) reached(point);
}

// The rows of an earlier run go where they can be read, and the table starts empty.
void move_results_aside(const Folders& folders, const fs::path& to) {
  const auto rows = folders.read(folders.results(), "the results of an earlier run");
  if (!rows) return;
  const auto moved = folders.read(to, "the results that were moved aside");
  if (!moved) {
    folders.make_below(to.parent_path());
    write_file_atomically(to, *rows);
  } else if (rows != moved) {
    return;  // they have been: what is there now is the new table
  }
  write_file_atomically(folders.results(), ledger::results_header());
}

// Makes the run's branch and goes to it. A head that somebody has moved meanwhile stays where it
// is.
void begin_branch(const Recording& recording, const repo::Repository& repository, Notes& notes) {
  const std::string name = "refs/heads/" + recording.branch;
  if (!repository.reference(name)) repository.set_reference(name, recording.to);
  const repo::Head head = repository.head();
  if (head.branch == recording.branch) return;
  if (head.commit == repository.reference(name)) return repository.switch_head(recording.branch);
  notes.push_back(
      fmt::format("HEAD has moved since the run was started, and was left there; 'git switch {}' "
                  "returns to the run",
                  recording.branch));
}

// A branch that somebody has moved meanwhile stays, too: a step says how to take it back, and
// whatever it holds is not ours to lose.
void move_branch(const Recording& recording, const repo::Repository& repository, Notes& notes) {
  const auto stands_at = repository.reference("refs/heads/" + recording.branch);
  if (stands_at == recording.to) return;
  if (stands_at == recording.from) {
    return repository.move_branch(recording.branch, recording.from, recording.to);
  }
  notes.push_back(
      fmt::format("something else moved {} meanwhile: it was left there", recording.branch));
}

// Whether the file is as some commit has it that is at hand here.
[[nodiscard]] bool is_known(const Recording& recording, const std::string& path,
                            const repo::Repository& repository) {
  std::vector<std::string> commits = {recording.from, recording.to, recording.file_from};
  for (const auto& reference : recording.references) commits.push_back(reference.commit);
  return std::ranges::any_of(commits, [&](const std::string& commit) {
    return !commit.empty() && repository.file_matches(commit, path);
  });
}

// Whether nothing but folders leads to it: what lies behind a link is not the worktree's.
[[nodiscard]] bool is_reached(const Folders& folders, const std::string& path) {
  std::error_code unreadable;
  for (fs::path above = fs::path(path).parent_path(); !above.empty(); above = above.parent_path()) {
    if (fs::symlink_status(folders.root() / above, unreadable).type() != fs::file_type::directory)
      return false;
  }
  return true;
}

[[nodiscard]] bool is_folder(const Folders& folders, const std::string& path) {
  std::error_code unreadable;
  return fs::symlink_status(folders.root() / path, unreadable).type() == fs::file_type::directory;
}

// Where what is in no commit goes: of a kernel of several files all of it into one folder, as it
// lay.
class Aside {
 public:
  Aside(const Folders& folders, const Recording& recording)
      : folders_(&folders), has_several_(!recording.editable_files.empty()) {}

  void put(const std::string& path) {
    if (has_several_ && folder_.empty()) folder_ = folders_->new_aside("edit");
    const auto kept =
        has_several_ ? put_aside(*folders_, path, folder_ / path) : put_aside(*folders_, path);
    if (!kept) return;
    if (files_++ == 0) first_ = path;
    at_ = has_several_ ? folder_ : *kept;
  }
  void say(Notes& notes) const {
    if (files_ == 0) return;
    notes.push_back(fmt::format("{}{} had been edited meanwhile: that version is in {}", first_,
                                files_ == 1 ? "" : fmt::format(" and {} more files", files_ - 1),
                                at_.string()));
  }

 private:
  std::size_t files_ = 0;
  std::string first_;
  fs::path at_;
  const Folders* folders_;
  bool has_several_;
  fs::path folder_;
};

// Somebody has edited it since the experiment began: that version is in no commit.
void keep_edit(const Recording& recording, const std::string& path,
               const repo::Repository& repository, Aside& aside) {
  if (!is_known(recording, path, repository)) aside.put(path);
}

void set_files(const Recording& recording, const repo::Repository& repository,
               const Folders& folders, Notes& notes) {
  if (recording.file_from.empty()) return;
  // The files of another branch are none of the run's.
  if (repository.head().branch != recording.branch) {
    notes.push_back(fmt::format("{} is no longer checked out, so {} was left as it is",
                                recording.branch, recording.editable));
    return;
  }
  Aside aside(folders, recording);
  std::vector<std::string> there;
  // What is to go goes first: a file may come in the place of a folder.
  for (const std::string& path : recording.editable_files) {
    if (repository.blob_at(recording.file_from, path)) {
      there.push_back(path);
      continue;
    }
    // What is in a folder of that name, each for itself.
    if (!is_folder(folders, path)) {
      keep_edit(recording, path, repository, aside);
      repository.remove(path);
    }
    repository.match_index(recording.file_from, path);
  }
  // The main file last: while it is not as it shall be, whoever looks sees an edit.
  there.push_back(recording.editable);
  for (const std::string& path : there) {
    keep_edit(recording, path, repository, aside);
    repository.check_out(recording.file_from, path);
  }
  aside.say(notes);
}

[[nodiscard]] Notes do_all(const Recording& recording, const repo::Repository& repository,
                           const Folders& folders, const Reached& reached) {
  Notes notes;
  for (const auto& [name, commit] : recording.references)
    set_run_reference(repository, name, commit);
  if (!recording.seal.name.empty()) {
    set_run_reference(repository, recording.seal.name, recording.seal.blob);
  }
  at(reached, "references made");
  // Opening it finishes the append.
  [[maybe_unused]] const auto ledger = ledger::Ledger::open(folders.own(), recording.ledger);
  at(reached, "ledger written");
  if (!recording.results_aside.empty()) move_results_aside(folders, recording.results_aside);
  at(reached, "results aside");
  if (!recording.results.text.empty()) {
    ledger::finish_append(folders.results(), recording.results);
  }
  at(reached, "results written");
  if (!recording.to.empty()) {
    const auto set_branch = recording.from.empty() ? begin_branch : move_branch;
    set_branch(recording, repository, notes);
  }
  at(reached, "branch set");
  set_files(recording, repository, folders, notes);
  at(reached, "file set");
  remove_journal(folders.journal());
  return notes;
}

[[nodiscard]] Error cannot_finish(const Folders& folders, const std::string& why) {
  return {Stop::repository,
          fmt::format("cannot finish what the journal {} says: {}; move the journal away to "
                      "continue without it",
                      folders.journal().string(), why)};
}

// A journal says what to write where; each of its paths is below the worktree.
void require_inside(const Folders& folders, const Journal& journal) {
  const auto require = [&](const fs::path& path) {
    const fs::path inside =
        (folders.root() / path).lexically_normal().lexically_relative(folders.root());
    if (!inside.empty() && *inside.begin() != "..") return;
    throw cannot_finish(folders, path.string() + " is not in the worktree");
  };
  std::visit(
      [&](const auto& what) {
        require(what.editable);
        for (const std::string& path : what.editable_files) require(path);
      },
      journal);
  if (const auto* recording = std::get_if<Recording>(&journal)) require(recording->results_aside);
}

// The number of an experiment is never given twice.
void require_free(const std::string& reference, const std::string& commit,
                  const repo::Repository& repository, const Folders& folders) {
  const auto stands_at = repository.reference(reference);
  if (!stands_at || *stands_at == commit) return;
  throw cannot_finish(folders, reference + " is another experiment already");
}

// A killed program leaves what it was writing beside the file that was to be replaced.
void remove_unfinished(const Folders& folders, const std::optional<Journal>& journal) {
  remove_unfinished_writes(folders.journal());
  remove_unfinished_writes(folders.brief());
  remove_unfinished_writes(folders.results());
  if (!journal) return;
  std::visit(
      [&](const auto& what) {
        remove_unfinished_of(folders, what.editable);
        for (const std::string& path : what.editable_files) remove_unfinished_of(folders, path);
      },
      *journal);
  if (const auto* trying = std::get_if<Trying>(&*journal)) {
    remove_unfinished_writes(folders.root() / trying->experiment.log);
    remove_unfinished_writes(folders.root() / Folders::ptx(trying->experiment.log));
  }
}

}  // namespace

bool remove_unfinished_of(const Folders& folders, const std::string& path) {
  return is_reached(folders, path) && remove_unfinished_writes(folders.root() / path);
}

std::string reference_of(const std::string& tag, int number) {
  return fmt::format("refs/autokernel/{}/{}", tag, number);
}

std::optional<fs::path> put_aside(const Folders& folders, const std::string& path,
                                  const fs::path& to) {
  if (!is_reached(folders, path)) return std::nullopt;
  const fs::path file = folders.root() / path;
  std::error_code failed;
  const fs::file_type type = fs::symlink_status(file, failed).type();
  if (type == fs::file_type::not_found) return std::nullopt;
  folders.make_below(to.parent_path());
  // What is too large to be copied is moved: it comes back from a commit in any case.
  if (type == fs::file_type::regular && fs::file_size(file, failed) <= kLargestFile) {
    write_file_atomically(to, read_file(file, "a file to be kept"));
    return to;
  }
  fs::rename(file, to, failed);
  if (!failed) return to;
  throw system_failure(Stop::environment,
                       fmt::format("cannot move {} to {}", file.string(), to.string()), "rename",
                       failed.value());
}

std::optional<fs::path> put_aside(const Folders& folders, const std::string& path) {
  std::error_code failed;
  for (int i = 1;; ++i) {
    const fs::path to =
        folders.aside() / fmt::format("{}-{}", i, fs::path(path).filename().string());
    if (fs::exists(fs::symlink_status(to, failed))) continue;
    return put_aside(folders, path, to);
  }
}

std::vector<std::string> apply(const Recording& recording, const repo::Repository& repository,
                               const Folders& folders, const Reached& reached) {
  write_journal(folders.journal(), recording);
  at(reached, "decided");
  return do_all(recording, repository, folders, reached);
}

Recording interrupted(const Trying& trying, const repo::Repository& repository,
                      const Folders& folders) {
  ledger::Experiment experiment = trying.experiment;
  experiment.status = ledger::Status::crash;
  experiment.verdict = "interrupted";
  experiment.reason = "the step ended before there was a verdict";
  Recording recording;
  recording.what = fmt::format("experiment {}", experiment.number);
  recording.branch = trying.branch;
  recording.editable = trying.editable;
  recording.editable_files = trying.editable_files;
  recording.references = {{reference_of(experiment.tag, experiment.number), experiment.commit}};
  add_entries(recording, repository, folders, experiment.tag, {experiment});
  recording.results = ledger::results_append(folders.results(), {ledger::results_row(experiment)});
  recording.file_from = experiment.incumbent;
  return recording;
}

void undo_step(const repo::Repository& repository, const Folders& folders,
               const std::string& reference) {
  try {
    delete_run_reference(repository, reference);
  } catch (const Error&) {
    // Another name takes no room, and what stopped the step is what its user has to know.
    std::error_code failed;
    fs::rename(folders.journal(), folders.taken_back(), failed);
    if (!failed) return;
  }
  remove_journal(folders.journal());
}

namespace {

void finish_taking_back(const repo::Repository& repository, const Folders& folders) {
  const std::optional<Journal> journal = read_journal(folders.taken_back());
  if (!journal) return;
  if (const auto* trying = std::get_if<Trying>(&*journal)) {
    const std::string reference = reference_of(trying->experiment.tag, trying->experiment.number);
    // One that an experiment has by now is not to go.
    if (repository.reference(reference) == trying->experiment.commit) {
      delete_run_reference(repository, reference);
    }
  }
  remove_journal(folders.taken_back());
}

}  // namespace

std::vector<std::string> recover(const repo::Repository& repository, const Folders& folders,
                                 const Reached& reached) {
  Notes repaired;
  const auto add = [&](const Notes& notes) {
    repaired.insert(repaired.end(), notes.begin(), notes.end());
  };
  finish_taking_back(repository, folders);
  const std::optional<Journal> journal = read_journal(folders.journal());
  if (journal) require_inside(folders, *journal);
  remove_unfinished(folders, journal);
  if (!journal) return repaired;
  // A killed program's lock files would stop every git command from here on.
  std::vector<std::string> written = {"HEAD"};
  const auto* recording = std::get_if<Recording>(&*journal);
  const auto* trying = std::get_if<Trying>(&*journal);
  if (recording != nullptr) {
    written.push_back("refs/heads/" + recording->branch);
    for (const auto& reference : recording->references) written.push_back(reference.name);
    if (!recording->seal.name.empty()) written.push_back(recording->seal.name);
  } else {
    written.push_back(reference_of(trying->experiment.tag, trying->experiment.number));
    require_free(written.back(), trying->experiment.commit, repository, folders);
  }
  for (const std::string& lock : repository.remove_stale_locks(written)) {
    repaired.push_back("removed the lock " + lock + " of a program that was killed");
  }
  if (recording != nullptr) {
    add(do_all(*recording, repository, folders, reached));
    const bool had_to_do = !recording->ledger.text.empty() || !recording->file_from.empty();
    repaired.push_back(recording->what + " was in progress when the program was killed" +
                       (had_to_do ? ": it is complete now" : ""));
  } else {
    add(apply(interrupted(*trying, repository, folders), repository, folders, reached));
    repaired.push_back(
        fmt::format("experiment {} was interrupted: it is recorded as such, and {} was restored to "
                    "the incumbent; 'autokernel restore {}' brings its source back",
                    trying->experiment.number, trying->editable, trying->experiment.number));
  }
  return repaired;
}

}  // namespace autokernel::loop
